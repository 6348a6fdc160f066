package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.LeaseKind;
import io.kvorum.server.store.ReadOutcome;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** Hashes of results and states: equal for equal content, in any JVM. */
final class Hashes {
  private static final long PRIME = 0x100000001B3L;

  /** Of the place of the event before, in a row of the history: see docs/FORMATS.md. */
  private static final int PREVIOUS_AT = 25;

  private static final int PREVIOUS_BYTES = 10;

  private Hashes() {}

  static long of(ApplyResult result) {
    long hash = of(result.header());
    if (result instanceof ApplyResult.PutApplied put) {
      return put.result().previous().map(previous -> of(previous)).orElse(1L) + PRIME * hash;
    }
    if (result instanceof ApplyResult.DeleteApplied delete) {
      hash = hash * PRIME + delete.result().deleted();
      for (KeyValue previous : delete.result().previous()) {
        hash = hash * PRIME + of(previous);
      }
      return hash;
    }
    if (result instanceof ApplyResult.TxnApplied txn) {
      hash = hash * PRIME + (txn.result().succeeded() ? 1 : 2);
      return hash * PRIME + txn.result().results().toString().hashCode();
    }
    if (result instanceof ApplyResult.Rejected rejected) {
      return hash * PRIME + rejected.refusal().message().hashCode();
    }
    if (result instanceof ApplyResult.Repeated repeated) {
      return hash * PRIME + of(repeated.first());
    }
    if (result instanceof ApplyResult.NothingApplied) {
      return hash;
    }
    // Rare, and their text names all that is in them.
    return hash * PRIME + result.toString().hashCode();
  }

  /**
   * All that a reader could see: the present state, leases, results that are kept, and the history
   * from the compact revision on. Not what lies in the tables beyond: how far compaction has
   * removed is every member's own affair.
   *
   * @param tables of the store, in which all events are
   */
  static long of(KvStateMachine store, TableReader tables) {
    RangeOptions everything = RangeOptions.DEFAULT;
    ReadOutcome<RangeResult> outcome = store.range(KeyRange.all(), everything);
    if (!(outcome instanceof ReadOutcome.Answered<RangeResult> answered)) {
      throw new AssertionError("a store refuses to be read: " + outcome);
    }
    RangeResult result = answered.result();
    long hash = of(result.header()) * PRIME + store.compactRevision();
    hash = hash * PRIME + store.space().toString().hashCode();
    hash = hash * PRIME + of(result.keyValues());
    for (LeaseKind kind : LeaseKind.values()) {
      for (long lease : store.leaseIds(kind)) {
        hash = hash * PRIME + lease;
        hash = hash * PRIME + String.valueOf(store.lease(lease)).hashCode();
        hash = hash * PRIME + store.leaseKeys(lease).hashCode();
      }
    }
    // In whatever order they come.
    long[] replies = new long[1];
    store.forEachReply(
        (key, row) -> replies[0] += Arrays.hashCode(key) * PRIME + Arrays.hashCode(row));
    hash = hash * PRIME + replies[0];
    return hash * PRIME + history(tables, store.compactRevision(), result.header().revision());
  }

  /** Of keys and what they hold. */
  static long of(List<KeyValue> keyValues) {
    long hash = keyValues.size();
    for (KeyValue keyValue : keyValues) {
      hash = hash * PRIME + of(keyValue);
    }
    return hash;
  }

  /** Of events, but for the place of the one before, which compaction may have taken away. */
  private static long history(TableReader tables, long from, long to) {
    long hash = 1;
    byte[] first = ByteBuffer.allocate(Long.BYTES).putLong(from).array();
    byte[] end = ByteBuffer.allocate(Long.BYTES).putLong(to + 1).array();
    try (TableCursor rows = tables.scan(Table.REV, first, end, false)) {
      while (rows.next()) {
        byte[] row = rows.value().clone();
        Arrays.fill(row, PREVIOUS_AT, PREVIOUS_AT + PREVIOUS_BYTES, (byte) 0);
        hash = hash * PRIME + Arrays.hashCode(rows.key());
        hash = hash * PRIME + Arrays.hashCode(row);
      }
    }
    return hash;
  }

  private static long of(Header header) {
    long hash = header.revision();
    hash = hash * PRIME + header.term();
    hash = hash * PRIME + header.appliedIndex();
    return hash * PRIME + header.logTimeMillis();
  }

  private static long of(KeyValue keyValue) {
    long hash = of(keyValue.key()) * PRIME + of(keyValue.value());
    hash = hash * PRIME + keyValue.createRevision();
    hash = hash * PRIME + keyValue.modRevision();
    hash = hash * PRIME + keyValue.version();
    return hash * PRIME + keyValue.lease();
  }

  private static long of(Bytes bytes) {
    return bytes.hashCode();
  }
}
