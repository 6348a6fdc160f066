package io.kvorum.server.store;

import io.kvorum.api.Header;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transaction that only reads; short ones are made when they are prepared. */
public final class TxnRead implements PinnedRead<TxnResult> {
  private final Txn txn;
  private final Header header;
  private final StoreState state;
  private final @Nullable TableSnapshot snapshot;
  private @Nullable ReadOutcome<TxnResult> outcome;
  private boolean closed;

  /**
   * A read.
   *
   * @param header of the state
   * @param snapshot holds every row of the transaction's ranges; null: {@link #runOn} comes before
   *     anything else
   */
  TxnRead(Txn txn, Header header, StoreState state, @Nullable TableSnapshot snapshot) {
    this.txn = txn;
    this.header = header;
    this.state = state;
    this.snapshot = snapshot;
  }

  /** All that a transaction may look at, whichever way its comparisons turn out. */
  static List<KeyRange> ranges(Txn txn) {
    List<KeyRange> ranges = new ArrayList<>();
    txn.compares().forEach(compare -> ranges.add(compare.range()));
    List<Op> ops = new ArrayList<>(txn.success());
    ops.addAll(txn.failure());
    for (Op op : ops) {
      if (op instanceof Op.Nested nested) {
        ranges.addAll(ranges(nested.txn()));
      } else if (op instanceof Op.Range range) {
        ranges.add(range.range());
      }
    }
    return ranges;
  }

  /** Whether {@link #run()} takes no time worth speaking of. */
  public synchronized boolean isDone() {
    return outcome != null;
  }

  @Override
  public synchronized ReadOutcome<TxnResult> run() {
    if (closed) {
      throw new IllegalStateException("transaction is closed");
    }
    ReadOutcome<TxnResult> done = outcome;
    if (done == null) {
      if (snapshot == null) {
        throw new AssertionError("nothing to read from");
      }
      // It keeps nobody waiting here: it may look at as many keys as it likes.
      done = runOn(new SnapshotRows(snapshot), Long.MAX_VALUE);
    }
    return done;
  }

  /** Reads these rows, which hold the state. */
  synchronized ReadOutcome<TxnResult> runOn(Rows rows, long lookedAtMax) {
    Execution execution = new Execution(rows, state, lookedAtMax);
    OpResult.Nested result = execution.execute(txn);
    Refusal refusal = execution.refusal();
    ReadOutcome<TxnResult> done;
    if (result != null) {
      done =
          new ReadOutcome.Answered<>(new TxnResult(header, result.succeeded(), result.results()));
    } else if (refusal != null) {
      done = new ReadOutcome.Refused<>(refusal, state.compactRevision());
    } else {
      throw new AssertionError("neither a result nor a refusal");
    }
    outcome = done;
    return done;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (snapshot != null) {
      snapshot.close();
    }
  }
}
