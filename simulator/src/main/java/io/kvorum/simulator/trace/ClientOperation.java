package io.kvorum.simulator.trace;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import io.kvorum.raft.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a client asks for. */
public sealed interface ClientOperation {
  /** Sets a key. The workload never writes a value twice, so a read tells whose write it saw. */
  record Put(Bytes key, Bytes value) implements ClientOperation {}

  /**
   * Reads a key, linearizably.
   *
   * @param lease whether the leader may answer from its lease
   */
  record Get(Bytes key, boolean lease) implements ClientOperation {
    /** Without a lease. */
    public Get(Bytes key) {
      this(key, false);
    }
  }

  /**
   * Reads a key from that member, which may not know of the latest writes.
   *
   * @param boundNanos how old they may be that it does not know of
   */
  record StaleGet(Bytes key, NodeId member, long boundNanos) implements ClientOperation {}

  /** Removes a key. */
  record Delete(Bytes key) implements ClientOperation {}

  /** Removes a range of keys. */
  record DeleteRange(KeyRange range) implements ClientOperation {}

  /** Reads a range of keys at one revision, linearizably. */
  record Range(KeyRange range) implements ClientOperation {}

  /** A transaction that {@link #canBeFollowed}. */
  record Transaction(Txn txn) implements ClientOperation {
    /** What was executed when the comparisons held, or did not. */
    public List<Op> branch(boolean succeeded) {
      return succeeded ? txn.success() : txn.failure();
    }
  }

  /**
   * Whether checkers can tell what a transaction does from its answer: each part is about a single
   * key as it is now, and no branch reads a key twice.
   */
  static boolean canBeFollowed(Txn txn) {
    return !(txn.compares().isEmpty() && txn.success().isEmpty())
        && txn.compares().stream().allMatch(ClientOperation::canBeFollowed)
        && canBeFollowed(txn.success())
        && canBeFollowed(txn.failure());
  }

  private static boolean canBeFollowed(Compare compare) {
    boolean isOrdered =
        compare.relation() == Compare.Relation.LESS
            || compare.relation() == Compare.Relation.GREATER;
    return compare.range().isSingle()
        && compare.target() != Compare.Target.LEASE
        && !(compare.target() == Compare.Target.VALUE && isOrdered);
  }

  private static boolean canBeFollowed(List<Op> branch) {
    Set<Bytes> read = new HashSet<>();
    for (Op op : branch) {
      boolean follows =
          (op instanceof Op.Put put && isPlain(put.options()))
              || (op instanceof Op.DeleteRange delete && delete.range().isSingle())
              || (op instanceof Op.Range range
                  && range.range().isSingle()
                  && range.options().equals(RangeOptions.DEFAULT)
                  && read.add(range.range().from()));
      if (!follows) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlain(PutOptions options) {
    return !options.keepValue() && !options.keepLease() && options.lease() == 0;
  }

  /** Whether it can change nothing, whatever the state is. */
  default boolean onlyReads() {
    return this instanceof Get
        || this instanceof StaleGet
        || this instanceof Range
        || (this instanceof Transaction transaction && transaction.txn().onlyReads());
  }

  /** Whether it has made a revision, as its answer shows. */
  default boolean hasChanged(ClientOutcome.Done done) {
    if (this instanceof Transaction transaction) {
      return done.deleted() > 0
          || transaction.branch(Boolean.TRUE.equals(done.succeeded())).stream()
              .anyMatch(Op.Put.class::isInstance);
    }
    return this instanceof Put || done.deleted() > 0;
  }
}
