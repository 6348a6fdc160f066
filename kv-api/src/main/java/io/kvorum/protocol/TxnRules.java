package io.kvorum.protocol;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.IdempotencyKey;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.ReadConsistency;
import io.kvorum.api.Txn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What makes a transaction acceptable whatever the state is, as in etcd. Clients ask before they
 * send, servers before they propose, and apply asks again: so these rules are part of the format of
 * the log.
 */
public final class TxnRules {
  /**
   * The most comparisons, or operations of a branch. An inner transaction gets what the longest of
   * its outer one's three lists leaves of this.
   */
  public static final int OPERATIONS_MAX = 128;

  /** The most transactions inside each other, the outermost counted. */
  public static final int DEPTH_MAX = 16;

  private TxnRules() {}

  /** Why the transaction is not acceptable, or null. Visits nothing that is nested too deep. */
  public static KvException.@Nullable Rejected refuse(Txn txn) {
    KvException.Rejected refused = refuse(txn, OPERATIONS_MAX, 1);
    if (refused != null) {
      return refused;
    }
    try {
      Writes.of(txn.success());
      Writes.of(txn.failure());
    } catch (KvException.Rejected duplicate) {
      return duplicate;
    }
    return null;
  }

  /** Why a put may not be so, whatever the state is, or null. */
  public static KvException.@Nullable Rejected refusePut(Bytes value, PutOptions options) {
    if (options.keepValue() && !value.isEmpty()) {
      return invalid("a put that keeps the value gives no value");
    }
    if (options.keepLease() && options.lease() != 0) {
      return invalid("a put that keeps the lease gives no lease");
    }
    return null;
  }

  /** The refusal of a transaction inside too many others. */
  public static KvException.Rejected tooDeep() {
    return rejected(
        Reason.TOO_MANY_OPERATIONS,
        "a transaction is nested deeper than the " + DEPTH_MAX + " levels allowed");
  }

  private static KvException.@Nullable Rejected refuse(Txn txn, int operationsMax, int depth) {
    if (depth > DEPTH_MAX) {
      return tooDeep();
    }
    int longest =
        Math.max(txn.compares().size(), Math.max(txn.success().size(), txn.failure().size()));
    if (longest > operationsMax) {
      return rejected(
          Reason.TOO_MANY_OPERATIONS,
          "too many operations in a transaction"
              + (depth == 1 ? "" : " at depth " + depth)
              + ": "
              + longest
              + " comparisons or operations in one list, the limit there is "
              + operationsMax);
    }
    for (Compare compare : txn.compares()) {
      KvException.Rejected refused = refuse(compare.range());
      if (refused != null) {
        return refused;
      }
    }
    KvException.Rejected refused = refuse(txn.success(), operationsMax - longest, depth);
    return refused != null ? refused : refuse(txn.failure(), operationsMax - longest, depth);
  }

  private static KvException.@Nullable Rejected refuse(List<Op> ops, int left, int depth) {
    for (Op op : ops) {
      KvException.Rejected refused =
          op instanceof Op.Nested nested ? refuse(nested.txn(), left, depth + 1) : refuse(op);
      if (refused != null) {
        return refused;
      }
    }
    return null;
  }

  /** Why an operation that is no transaction is not acceptable by itself, or null. */
  public static KvException.@Nullable Rejected refuse(Op op) {
    if (op instanceof Op.Put put) {
      KvException.Rejected refused = refuseKey("a key", put.key(), ProtocolLimits.KEY_BYTES_MAX);
      if (refused == null) {
        refused = refuseInner(put.options().idempotencyKey());
      }
      return refused != null ? refused : refusePut(put.value(), put.options());
    }
    if (op instanceof Op.DeleteRange delete) {
      KvException.Rejected refused = refuseInner(delete.options().idempotencyKey());
      return refused != null ? refused : refuse(delete.range());
    }
    if (op instanceof Op.Range range) {
      KvException.Rejected refused = refuse(range.range());
      return refused != null ? refused : refuse(range.options());
    }
    if (op instanceof Op.Add add) {
      return refuseKey("a key", add.key(), ProtocolLimits.KEY_BYTES_MAX);
    }
    if (op instanceof Op.Append append) {
      return refuseKey("a key", append.key(), ProtocolLimits.KEY_BYTES_MAX);
    }
    throw new AssertionError("no rules for " + op.getClass());
  }

  private static KvException.@Nullable Rejected refuseInner(Optional<IdempotencyKey> key) {
    return key.isEmpty()
        ? null
        : invalid("an idempotency key belongs to the whole transaction, not to an operation");
  }

  private static KvException.@Nullable Rejected refuse(RangeOptions options) {
    if (options.limit() < 0) {
      return invalid("the limit is " + options.limit() + ": it is at least 0");
    }
    if (options.revision() < 0) {
      return invalid("the revision is " + options.revision() + ": it is at least 0");
    }
    return options.consistency() instanceof ReadConsistency.Linearizable
        ? null
        : invalid("what a read of a transaction rests on is said by the transaction");
  }

  private static KvException.@Nullable Rejected refuse(KeyRange range) {
    KvException.Rejected refused = refuseKey("a key", range.from(), ProtocolLimits.KEY_BYTES_MAX);
    return refused != null || range.to() == null
        ? refused
        : refuseKey("the end of a range", range.to(), ProtocolLimits.KEY_BYTES_MAX + 1);
  }

  private static KvException.@Nullable Rejected refuseKey(String what, Bytes key, int most) {
    return key.size() <= most
        ? null
        : rejected(Reason.TOO_LARGE, what + " has " + key.size() + " bytes, the limit is " + most);
  }

  private static KvException.Rejected invalid(String message) {
    return rejected(Reason.INVALID_ARGUMENT, message);
  }

  private static KvException.Rejected rejected(Reason reason, String message) {
    return new KvException.Rejected(reason, message + "; nothing was changed");
  }

  /**
   * What the operations of a branch may write, whichever way the transactions inside turn out. Made
   * only of branches in which no two operations write one key, but for deletes that overlap.
   */
  private static final class Writes {
    private final TreeSet<Bytes> puts = new TreeSet<>();
    private final List<KeyRange> deletes = new ArrayList<>();

    /**
     * Those of a list of operations.
     *
     * @throws KvException.Rejected if two of them may write the same key
     */
    static Writes of(List<Op> ops) {
      Writes all = new Writes();
      for (Op op : ops) {
        if (op instanceof Op.Nested nested) {
          // One or the other is executed: what both may write is no conflict between them.
          Writes either = of(nested.txn().success());
          Writes other = of(nested.txn().failure());
          either.puts.addAll(other.puts);
          either.deletes.addAll(other.deletes);
          all.add(either);
        } else if (!op.onlyReads()) {
          all.add(of(op));
        }
      }
      return all;
    }

    private static Writes of(Op op) {
      Writes one = new Writes();
      if (op instanceof Op.DeleteRange delete) {
        one.deletes.add(delete.range());
      } else if (op instanceof Op.Put put) {
        one.puts.add(put.key());
      } else if (op instanceof Op.Add add) {
        one.puts.add(add.key());
      } else if (op instanceof Op.Append append) {
        one.puts.add(append.key());
      } else {
        throw new AssertionError("it writes nothing: " + op.getClass());
      }
      return one;
    }

    private void add(Writes next) {
      deletes.forEach(range -> next.checkNoPutIn(range));
      next.deletes.forEach(this::checkNoPutIn);
      for (Bytes key : next.puts) {
        if (!puts.add(key)) {
          throw duplicate(key, "is put twice");
        }
      }
      deletes.addAll(next.deletes);
    }

    private void checkNoPutIn(KeyRange range) {
      Bytes key = puts.ceiling(range.from());
      if (key != null && range.contains(key)) {
        throw duplicate(key, "is put, and deleted");
      }
    }

    private static KvException.Rejected duplicate(Bytes key, String how) {
      return rejected(Reason.DUPLICATE_KEY, "duplicate key in a transaction: " + key + " " + how);
    }
  }
}
