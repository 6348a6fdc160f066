package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.ReadOutcome;

/** Hashes of results and states: equal for equal content, in any JVM. */
final class Hashes {
  private static final long PRIME = 0x100000001B3L;

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
    if (result instanceof ApplyResult.NothingApplied) {
      return hash;
    }
    throw new AssertionError("unknown result " + result);
  }

  /** All that a reader of the present state could see. */
  static long of(KvStateMachine store) {
    RangeOptions everything = RangeOptions.DEFAULT;
    ReadOutcome<RangeResult> outcome = store.range(KeyRange.all(), everything);
    if (!(outcome instanceof ReadOutcome.Answered<RangeResult> answered)) {
      throw new AssertionError("a store refuses to be read: " + outcome);
    }
    RangeResult result = answered.result();
    long hash = of(result.header()) * PRIME + store.compactRevision();
    for (KeyValue keyValue : result.keyValues()) {
      hash = hash * PRIME + of(keyValue);
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
    return hash * PRIME + keyValue.version();
  }

  private static long of(Bytes bytes) {
    return bytes.hashCode();
  }
}
