package io.kvorum.api;

/**
 * A comparison that a transaction rests on: of one key, or of every key of a range.
 *
 * <p>A key that does not exist, or a range without keys, compares as one with version, revisions
 * and lease 0; no comparison of its value is true, neither equal nor not equal.
 *
 * @param number what version, revision or lease is compared with; 0 for a value
 * @param value what the value is compared with, byte by byte, unsigned; empty for a number
 */
public record Compare(KeyRange range, Target target, Relation relation, long number, Bytes value) {
  public Compare {
    if (target == Target.VALUE ? number != 0 : !value.isEmpty()) {
      throw new IllegalArgumentException(
          "a comparison of the "
              + target
              + " is with "
              + (target == Target.VALUE ? "bytes" : "a number"));
    }
  }

  /** What of a key is compared. */
  public enum Target {
    VERSION,
    CREATE_REVISION,
    MOD_REVISION,
    VALUE,
    LEASE
  }

  /** How it compares to what is given: {@code LESS}: what the key has is less. */
  public enum Relation {
    EQUAL,
    NOT_EQUAL,
    LESS,
    GREATER;

    /**
     * Whether it holds.
     *
     * @param sign of the comparison of what the key has with what is given
     */
    public boolean holds(int sign) {
      return switch (this) {
        case EQUAL -> sign == 0;
        case NOT_EQUAL -> sign != 0;
        case LESS -> sign < 0;
        case GREATER -> sign > 0;
      };
    }
  }

  /** How often the key was put since it exists; 0: it does not exist. */
  public static OfNumber version(Bytes key) {
    return version(KeyRange.single(key));
  }

  /** As {@link #version(Bytes)}, of every key of the range. */
  public static OfNumber version(KeyRange range) {
    return new OfNumber(range, Target.VERSION);
  }

  /** The revision since which the key exists; 0: it does not exist. */
  public static OfNumber createRevision(Bytes key) {
    return createRevision(KeyRange.single(key));
  }

  /** As {@link #createRevision(Bytes)}, of every key of the range. */
  public static OfNumber createRevision(KeyRange range) {
    return new OfNumber(range, Target.CREATE_REVISION);
  }

  /** The revision of the last put; 0: the key does not exist. */
  public static OfNumber modRevision(Bytes key) {
    return modRevision(KeyRange.single(key));
  }

  /** As {@link #modRevision(Bytes)}, of every key of the range. */
  public static OfNumber modRevision(KeyRange range) {
    return new OfNumber(range, Target.MOD_REVISION);
  }

  /** The lease that the key hangs on; 0: none. */
  public static OfNumber lease(Bytes key) {
    return lease(KeyRange.single(key));
  }

  /** As {@link #lease(Bytes)}, of every key of the range. */
  public static OfNumber lease(KeyRange range) {
    return new OfNumber(range, Target.LEASE);
  }

  public static OfValue value(Bytes key) {
    return value(KeyRange.single(key));
  }

  /** As {@link #value(Bytes)}, of every key of the range. */
  public static OfValue value(KeyRange range) {
    return new OfValue(range);
  }

  /** A comparison with a number, still without it. */
  public record OfNumber(KeyRange range, Target target) {
    public Compare isEqualTo(long number) {
      return is(Relation.EQUAL, number);
    }

    public Compare isNotEqualTo(long number) {
      return is(Relation.NOT_EQUAL, number);
    }

    public Compare isLessThan(long number) {
      return is(Relation.LESS, number);
    }

    public Compare isGreaterThan(long number) {
      return is(Relation.GREATER, number);
    }

    public Compare is(Relation relation, long number) {
      return new Compare(range, target, relation, number, Bytes.EMPTY);
    }
  }

  /** A comparison with a value, still without it. */
  public record OfValue(KeyRange range) {
    public Compare isEqualTo(Bytes value) {
      return is(Relation.EQUAL, value);
    }

    public Compare isNotEqualTo(Bytes value) {
      return is(Relation.NOT_EQUAL, value);
    }

    public Compare isLessThan(Bytes value) {
      return is(Relation.LESS, value);
    }

    public Compare isGreaterThan(Bytes value) {
      return is(Relation.GREATER, value);
    }

    public Compare is(Relation relation, Bytes value) {
      return new Compare(range, Target.VALUE, relation, 0, value);
    }
  }
}
