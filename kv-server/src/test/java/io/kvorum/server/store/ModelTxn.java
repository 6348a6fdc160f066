package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.RangeResult;
import io.kvorum.api.Txn;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A transaction as one would explain it: on a copy of the state, one operation after the other, and
 * thrown away when one of them is refused. A key may be written twice if some path through all
 * branches writes it twice: every path is walked (FAULTS F136).
 */
final class ModelTxn {
  /** It changes nothing. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    final Reason reason;

    Refused(Reason reason) {
      super(reason.name());
      this.reason = reason;
    }
  }

  private final ModelStore store;
  private final NavigableMap<Bytes, KeyValue> before;
  private final NavigableMap<Bytes, KeyValue> now;
  private final long revision;

  /** Keys in the order in which they were put or deleted. */
  final List<Bytes> changed = new ArrayList<>();

  ModelTxn(ModelStore store, NavigableMap<Bytes, KeyValue> state, long revision) {
    this.store = store;
    this.before = state;
    this.now = new TreeMap<>(state);
    this.revision = revision;
  }

  /** What the key holds after all that was executed; null: nothing. */
  KeyValue now(Bytes key) {
    return now.get(key);
  }

  /** Whether some way through a transaction writes a key twice. */
  static boolean isDuplicate(Txn txn) {
    List<List<Op>> paths = new ArrayList<>(paths(txn.success()));
    paths.addAll(paths(txn.failure()));
    return paths.stream().anyMatch(ModelTxn::writesTwice);
  }

  private static List<List<Op>> paths(List<Op> ops) {
    List<List<Op>> paths = new ArrayList<>(List.of(List.of()));
    for (Op op : ops) {
      List<List<Op>> steps = new ArrayList<>();
      if (op instanceof Op.Nested nested) {
        steps.addAll(paths(nested.txn().success()));
        steps.addAll(paths(nested.txn().failure()));
      } else {
        steps.add(List.of(op));
      }
      List<List<Op>> longer = new ArrayList<>();
      for (List<Op> path : paths) {
        for (List<Op> step : steps) {
          List<Op> joined = new ArrayList<>(path);
          joined.addAll(step);
          longer.add(joined);
        }
      }
      paths = longer;
    }
    return paths;
  }

  private static boolean writesTwice(List<Op> path) {
    Set<Bytes> puts = new HashSet<>();
    for (Op op : path) {
      Bytes key = putKey(op);
      if (key != null && !puts.add(key)) {
        return true;
      }
    }
    return path.stream()
        .anyMatch(
            op ->
                op instanceof Op.DeleteRange delete
                    && puts.stream().anyMatch(delete.range()::contains));
  }

  private static Bytes putKey(Op op) {
    if (op instanceof Op.Put put) {
      return put.key();
    }
    if (op instanceof Op.Add add) {
      return add.key();
    }
    return op instanceof Op.Append append ? append.key() : null;
  }

  OpResult.Nested execute(Txn txn) {
    boolean succeeded = txn.compares().stream().allMatch(this::holds);
    List<OpResult> results = new ArrayList<>();
    for (Op op : succeeded ? txn.success() : txn.failure()) {
      results.add(execute(op));
    }
    return new OpResult.Nested(succeeded, results);
  }

  private boolean holds(Compare compare) {
    List<KeyValue> found = in(before, compare.range());
    if (!found.isEmpty()) {
      return found.stream().allMatch(held -> compare.relation().holds(sign(compare, held)));
    }
    return compare.target() != Compare.Target.VALUE
        && compare.relation().holds(Long.compare(0, compare.number()));
  }

  private static int sign(Compare compare, KeyValue held) {
    return switch (compare.target()) {
      case VERSION -> Long.compare(held.version(), compare.number());
      case CREATE_REVISION -> Long.compare(held.createRevision(), compare.number());
      case MOD_REVISION -> Long.compare(held.modRevision(), compare.number());
      case LEASE -> Long.compare(held.lease(), compare.number());
      case VALUE -> held.value().compareTo(compare.value());
    };
  }

  OpResult execute(Op op) {
    if (op instanceof Op.Put put) {
      return put(put);
    }
    if (op instanceof Op.DeleteRange delete) {
      List<KeyValue> found = in(now, delete.range());
      found.forEach(held -> now.remove(held.key()));
      found.forEach(held -> changed.add(held.key()));
      return new OpResult.DeleteRange(
          found.size(), delete.options().previous() ? found : List.of());
    }
    if (op instanceof Op.Range range) {
      return range(range);
    }
    if (op instanceof Op.Add add) {
      return add(add);
    }
    if (op instanceof Op.Append append) {
      Bytes held = value(append.key());
      byte[] joined = new byte[held.size() + append.suffix().size()];
      System.arraycopy(held.toByteArray(), 0, joined, 0, held.size());
      System.arraycopy(
          append.suffix().toByteArray(), 0, joined, held.size(), append.suffix().size());
      set(append.key(), Bytes.copyOf(joined), lease(append.key()));
      return new OpResult.Append(joined.length);
    }
    return execute(((Op.Nested) op).txn());
  }

  private OpResult put(Op.Put put) {
    KeyValue held = now.get(put.key());
    if (held == null && (put.options().keepValue() || put.options().keepLease())) {
      throw new Refused(Reason.KEY_NOT_FOUND);
    }
    if (put.options().lease() != 0 && store.leases.find(put.options().lease()) == null) {
      throw new Refused(Reason.LEASE_NOT_FOUND);
    }
    long lease = put.options().keepLease() ? held.lease() : put.options().lease();
    set(put.key(), put.options().keepValue() ? held.value() : put.value(), lease);
    return new OpResult.Put(
        put.options().previous() ? Optional.ofNullable(held) : Optional.empty());
  }

  private OpResult add(Op.Add add) {
    KeyValue held = now.get(add.key());
    BigInteger sum = BigInteger.valueOf(add.delta());
    if (held != null) {
      if (held.value().size() != 8) {
        throw new Refused(Reason.NOT_A_COUNTER);
      }
      sum = sum.add(new BigInteger(held.value().toByteArray()));
    }
    if (sum.bitLength() > 63) {
      throw new Refused(Reason.COUNTER_OVERFLOW);
    }
    byte[] value = new byte[8];
    for (int i = 0; i < 8; i++) {
      value[i] = sum.shiftRight(56 - 8 * i).byteValue();
    }
    set(add.key(), Bytes.copyOf(value), lease(add.key()));
    return new OpResult.Add(sum.longValueExact());
  }

  private OpResult range(Op.Range read) {
    long asOf = read.options().revision();
    if (asOf > store.header().revision()) {
      throw new Refused(Reason.REVISION_IN_FUTURE);
    }
    if (asOf != 0 && asOf < store.compactRevision()) {
      throw new Refused(Reason.REVISION_COMPACTED);
    }
    List<KeyValue> all = in(asOf == 0 ? now : store.at(asOf), read.range());
    RangeResult answer =
        ModelStore.answer(store.header(), all, read.options(), StoreLimits.TXN_ANSWER_BYTES_MAX);
    return new OpResult.Range(answer.keyValues(), answer.more(), answer.count());
  }

  private Bytes value(Bytes key) {
    KeyValue held = now.get(key);
    return held == null ? Bytes.EMPTY : held.value();
  }

  private long lease(Bytes key) {
    KeyValue held = now.get(key);
    return held == null ? 0 : held.lease();
  }

  private void set(Bytes key, Bytes value, long lease) {
    KeyValue held = now.get(key);
    long created = held == null ? revision : held.createRevision();
    long version = held == null ? 1 : held.version() + 1;
    now.put(key, new KeyValue(key, value, created, revision, version, lease));
    changed.add(key);
  }

  private static List<KeyValue> in(NavigableMap<Bytes, KeyValue> state, KeyRange range) {
    List<KeyValue> found = new ArrayList<>(state.values());
    found.removeIf(held -> !range.contains(held.key()));
    return found;
  }
}
