package io.kvorum.testkit.linearizability;

import org.jspecify.annotations.Nullable;

/**
 * A condition of a transaction, as etcd has them. Of a key that does not exist the numbers are 0,
 * and no condition on its value holds.
 *
 * @param value compared with if the field is {@link Field#VALUE}
 * @param number compared with otherwise
 */
public record KvCompare(
    String key, Field field, Relation relation, @Nullable String value, long number) {
  /** What of the key is compared. */
  public enum Field {
    VALUE,
    VERSION,
    CREATE_REVISION,
    MOD_REVISION
  }

  /** How the key's side relates to the given one. */
  public enum Relation {
    EQUAL,
    NOT_EQUAL,
    LESS,
    GREATER
  }

  public KvCompare {
    if ((field == Field.VALUE) != (value != null)) {
      throw new IllegalArgumentException(field + " is not compared with " + value);
    }
  }

  /** On what the key holds. */
  public static KvCompare value(String key, Relation relation, String value) {
    return new KvCompare(key, Field.VALUE, relation, value, 0);
  }

  /** On one of the key's numbers. */
  public static KvCompare number(String key, Field field, Relation relation, long number) {
    return new KvCompare(key, field, relation, null, number);
  }

  boolean holds(@Nullable Held held) {
    if (value != null) {
      return held != null && holds(held.value().compareTo(value));
    }
    if (held == null) {
      return holds(Long.compare(0, number));
    }
    long side =
        switch (field) {
          case VERSION -> held.version();
          case CREATE_REVISION -> held.createRevision();
          case MOD_REVISION -> held.modRevision();
          case VALUE -> throw new AssertionError("compared above");
        };
    return holds(Long.compare(side, number));
  }

  private boolean holds(int order) {
    return switch (relation) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case LESS -> order < 0;
      case GREATER -> order > 0;
    };
  }

  @Override
  public String toString() {
    return field + " of " + key + " " + relation + " " + (value == null ? number : value);
  }
}
