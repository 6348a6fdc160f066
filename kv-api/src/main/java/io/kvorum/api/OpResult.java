package io.kvorum.api;

import java.util.List;
import java.util.Optional;

/** What an operation of a transaction resulted in. */
public sealed interface OpResult {
  /**
   * Of {@link Op.Put}.
   *
   * @param previous what the key held before; empty if nothing, or if not asked for
   */
  record Put(Optional<KeyValue> previous) implements OpResult {}

  /**
   * Of {@link Op.DeleteRange}.
   *
   * @param deleted how many keys
   * @param previous what was deleted, in order of key; empty if not asked for
   */
  record DeleteRange(long deleted, List<KeyValue> previous) implements OpResult {
    public DeleteRange {
      previous = List.copyOf(previous);
    }
  }

  /** Of {@link Op.Range}; the components are those of a {@link RangeResult}. */
  record Range(List<KeyValue> keyValues, boolean more, long count) implements OpResult {
    public Range {
      keyValues = List.copyOf(keyValues);
    }

    /** The first key, if there is one: what a {@link Op#get(Bytes) get} has found. */
    public Optional<KeyValue> keyValue() {
      return keyValues.stream().findFirst();
    }
  }

  /**
   * Of {@link Op.Add}.
   *
   * @param value what the counter is now
   */
  record Add(long value) implements OpResult {}

  /**
   * Of {@link Op.Append}.
   *
   * @param valueBytes how long the value is now
   */
  record Append(long valueBytes) implements OpResult {}

  /**
   * Of {@link Op.Nested}.
   *
   * @param succeeded whether all its own comparisons held
   * @param results of the branch that was executed
   */
  record Nested(boolean succeeded, List<OpResult> results) implements OpResult {
    public Nested {
      results = List.copyOf(results);
    }
  }
}
