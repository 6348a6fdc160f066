package io.kvorum.api;

/**
 * An operation of a transaction.
 *
 * <p>What an operation reads has the consistency of its transaction: that of its own options must
 * be left as it is.
 */
public sealed interface Op {
  /** Puts with {@link PutOptions#DEFAULT}. */
  static Op put(Bytes key, Bytes value) {
    return put(key, value, PutOptions.DEFAULT);
  }

  /** Sets the value of a key; answered with {@link OpResult.Put}. */
  static Op put(Bytes key, Bytes value, PutOptions options) {
    return new Put(key, value, options);
  }

  /** Deletes with {@link DeleteOptions#DEFAULT}. */
  static Op delete(Bytes key) {
    return delete(key, DeleteOptions.DEFAULT);
  }

  /** Deletes one key; answered with {@link OpResult.DeleteRange}. */
  static Op delete(Bytes key, DeleteOptions options) {
    return deleteRange(KeyRange.single(key), options);
  }

  /** Deletes a range with {@link DeleteOptions#DEFAULT}. */
  static Op deleteRange(KeyRange range) {
    return deleteRange(range, DeleteOptions.DEFAULT);
  }

  /** Deletes all keys of a range; answered with {@link OpResult.DeleteRange}. */
  static Op deleteRange(KeyRange range, DeleteOptions options) {
    return new DeleteRange(range, options);
  }

  /** Gets with {@link GetOptions#DEFAULT}. */
  static Op get(Bytes key) {
    return get(key, GetOptions.DEFAULT);
  }

  /** Reads one key; answered with {@link OpResult.Range}. */
  static Op get(Bytes key, GetOptions options) {
    return range(
        KeyRange.single(key),
        RangeOptions.DEFAULT
            .withRevision(options.revision())
            .withConsistency(options.consistency()));
  }

  /** Reads a range with {@link RangeOptions#DEFAULT}. */
  static Op range(KeyRange range) {
    return range(range, RangeOptions.DEFAULT);
  }

  /** Reads the keys of a range; answered with {@link OpResult.Range}. */
  static Op range(KeyRange range, RangeOptions options) {
    return new Range(range, options);
  }

  /**
   * Adds to a counter: a value of 8 bytes, big-endian, two's complement. A key that does not exist
   * counts as 0; its lease stays. A value of another length ({@link
   * KvException.Reason#NOT_A_COUNTER}) or a sum beyond 64 bits ({@link
   * KvException.Reason#COUNTER_OVERFLOW}) refuse the whole transaction. Answered with {@link
   * OpResult.Add}.
   */
  static Op add(Bytes key, long delta) {
    return new Add(key, delta);
  }

  /**
   * Adds bytes at the end of a value. A key that does not exist counts as empty; its lease stays.
   * Answered with {@link OpResult.Append}.
   */
  static Op append(Bytes key, Bytes suffix) {
    return new Append(key, suffix);
  }

  /** A transaction inside; answered with {@link OpResult.Nested}. */
  static Op txn(Txn txn) {
    return new Nested(txn);
  }

  /** Whether it can change nothing. */
  default boolean onlyReads() {
    return this instanceof Range || (this instanceof Nested nested && nested.txn().onlyReads());
  }

  /** See {@link #put(Bytes, Bytes, PutOptions)}. */
  record Put(Bytes key, Bytes value, PutOptions options) implements Op {
    public Put {
      checkKey(key);
    }
  }

  /** See {@link #deleteRange(KeyRange, DeleteOptions)}. */
  record DeleteRange(KeyRange range, DeleteOptions options) implements Op {}

  /** See {@link #range(KeyRange, RangeOptions)}. */
  record Range(KeyRange range, RangeOptions options) implements Op {}

  /** See {@link #add}. */
  record Add(Bytes key, long delta) implements Op {
    public Add {
      checkKey(key);
    }
  }

  /** See {@link #append}. */
  record Append(Bytes key, Bytes suffix) implements Op {
    public Append {
      checkKey(key);
    }
  }

  /** See {@link #txn}. */
  record Nested(Txn txn) implements Op {}

  private static void checkKey(Bytes key) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("the key is empty: a key has at least one byte");
    }
  }
}
