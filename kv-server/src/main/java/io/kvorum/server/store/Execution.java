package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Executes one command, or one transaction that only reads: decides what it changes and what it
 * answers, and changes nothing itself. It reads only replicated state and constants of the format;
 * so a command that is refused here is refused everywhere, and has changed nothing.
 *
 * <p>Once it has refused something it is of no more use.
 */
final class Execution {
  private final Rows rows;
  private final Changes changes;
  private final StoreState state;
  private final long lookedAtMax;
  private long lookedAt;
  private long answered;
  private long answerBytes;
  private @Nullable Refusal refusal;

  /**
   * An execution.
   *
   * @param state of the rows, before the command
   * @param lookedAtMax the most keys that comparisons and reads may look at
   */
  Execution(Rows rows, StoreState state, long lookedAtMax) {
    this.rows = rows;
    this.changes = new Changes(rows);
    this.state = state;
    this.lookedAtMax = lookedAtMax;
  }

  /** Why it is refused, or null. */
  @Nullable Refusal refusal() {
    return refusal;
  }

  /** What it changes; to be left alone if it is refused. */
  Changes changes() {
    return changes;
  }

  /** Executes a transaction whose form is right; null if it is refused. */
  OpResult.@Nullable Nested execute(Txn txn) {
    Boolean succeeded = compare(txn.compares());
    if (succeeded == null) {
      return null;
    }
    List<Op> branch = succeeded ? txn.success() : txn.failure();
    List<OpResult> results = new ArrayList<>(branch.size());
    for (Op op : branch) {
      OpResult result = execute(op);
      if (result == null) {
        return null;
      }
      results.add(result);
    }
    return new OpResult.Nested(succeeded, results);
  }

  /** Executes an operation whose form is right; null if it is refused. */
  @Nullable OpResult execute(Op op) {
    if (op instanceof Op.Put put) {
      return put(put);
    }
    if (op instanceof Op.DeleteRange delete) {
      return deleteRange(delete);
    }
    if (op instanceof Op.Range range) {
      return range(range);
    }
    if (op instanceof Op.Add add) {
      return add(add);
    }
    if (op instanceof Op.Append append) {
      return append(append);
    }
    if (op instanceof Op.Nested nested) {
      return execute(nested.txn());
    }
    throw new AssertionError("cannot execute " + op.getClass());
  }

  /** Whether all hold; null if it is refused. */
  private @Nullable Boolean compare(List<Compare> compares) {
    for (Compare compare : compares) {
      // Not the changes: whatever was executed before, the state before the transaction decides.
      boolean holds =
          compare.range().isSingle()
              ? holds(compare, compare.range().from(), rows.find(compare.range().from()))
              : holdsForAll(compare);
      if (refusal != null) {
        return null;
      }
      if (!holds) {
        return false;
      }
    }
    return true;
  }

  private boolean holdsForAll(Compare compare) {
    boolean isEmpty = true;
    try (TableCursor found = rows.scan(compare.range(), false)) {
      while (found.next()) {
        LatestRow row = LatestRow.decode(found.value());
        if (row.tombstone()) {
          continue;
        }
        isEmpty = false;
        if (!holds(compare, Bytes.wrapUnsafe(found.key()), row)) {
          return false;
        }
      }
    }
    return isEmpty ? holds(compare, compare.range().from(), null) : true;
  }

  private boolean holds(Compare compare, Bytes key, @Nullable LatestRow row) {
    if (!mayLookAtOneMore()) {
      return false;
    }
    if (row == null || row.tombstone()) {
      return compare.target() != Compare.Target.VALUE
          && compare.relation().holds(Long.compare(0, compare.number()));
    }
    int sign =
        compare.target() == Compare.Target.VALUE
            ? rows.newest(key, row, true).value().compareTo(compare.value())
            : Long.compare(number(compare.target(), row), compare.number());
    return compare.relation().holds(sign);
  }

  private static long number(Compare.Target target, LatestRow row) {
    return switch (target) {
      case VERSION -> row.version();
      case CREATE_REVISION -> row.createRevision();
      case MOD_REVISION -> row.modRevision();
      case LEASE -> row.lease();
      case VALUE -> throw new AssertionError("a value is no number");
    };
  }

  private @Nullable OpResult put(Op.Put put) {
    PutOptions options = put.options();
    LatestRow before = changes.find(put.key());
    LatestRow existing = before == null || before.tombstone() ? null : before;
    if (existing == null && (options.keepValue() || options.keepLease())) {
      return refuse(
          Reason.KEY_NOT_FOUND,
          "key not found: "
              + put.key()
              + " has no "
              + (options.keepValue() ? "value" : "lease")
              + " to keep");
    }
    if (options.lease() != 0 && !mayHangOn(options.lease(), before)) {
      return null;
    }
    boolean readsValue = options.previous() || options.keepValue();
    KeyValue held = existing != null && readsValue ? rows.newest(put.key(), existing, true) : null;
    Bytes value = held != null && options.keepValue() ? held.value() : put.value();
    long lease = existing != null && options.keepLease() ? existing.lease() : options.lease();
    if (!change(put.key(), before, value, lease)) {
      return null;
    }
    if (held == null || !options.previous()) {
      return new OpResult.Put(Optional.empty());
    }
    return mayAnswer(held) ? new OpResult.Put(Optional.of(held)) : null;
  }

  private boolean mayHangOn(long lease, @Nullable LatestRow before) {
    int keys = rows.leaseKeys(lease);
    if (keys < 0) {
      OpResult unused =
          refuse(Reason.LEASE_NOT_FOUND, "requested lease not found: " + LeaseRow.text(lease));
      return false;
    }
    boolean hangsOnIt = before != null && before.lease() == lease;
    // When the lease ends, its keys are deleted in one revision.
    if (!hangsOnIt && keys + changes.size() >= StoreLimits.CHANGES_MAX) {
      OpResult unused =
          refuse(
              Reason.TOO_LARGE,
              "more than " + StoreLimits.CHANGES_MAX + " keys would hang on lease " + lease);
      return false;
    }
    return true;
  }

  private @Nullable OpResult add(Op.Add add) {
    LatestRow before = changes.find(add.key());
    Bytes held = value(add.key(), before);
    if (held != null && held.size() != Long.BYTES) {
      return refuse(
          Reason.NOT_A_COUNTER,
          "the value of " + add.key() + " has " + held.size() + " bytes: a counter has 8");
    }
    long old = held == null ? 0 : held.asByteBuffer().getLong();
    long sum = old + add.delta();
    // The sum has another sign than both: it has left the range.
    if (((old ^ sum) & (add.delta() ^ sum)) < 0) {
      return refuse(
          Reason.COUNTER_OVERFLOW,
          "the counter "
              + add.key()
              + " is "
              + old
              + ": with "
              + add.delta()
              + " more it would have more than 64 bits");
    }
    byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(sum).array();
    return change(add.key(), before, Bytes.wrapUnsafe(value), lease(before))
        ? new OpResult.Add(sum)
        : null;
  }

  private @Nullable OpResult append(Op.Append append) {
    LatestRow before = changes.find(append.key());
    Bytes held = value(append.key(), before);
    int oldBytes = held == null ? 0 : held.size();
    long newBytes = (long) oldBytes + append.suffix().size();
    if (append.key().size() + newBytes > StoreLimits.ENTRY_BYTES_MAX) {
      return refuse(
          Reason.TOO_LARGE,
          "the value of "
              + append.key()
              + " would have "
              + newBytes
              + " bytes: key and value together have at most "
              + StoreLimits.ENTRY_BYTES_MAX);
    }
    byte[] value = new byte[(int) newBytes];
    if (held != null) {
      System.arraycopy(held.arrayUnsafe(), 0, value, 0, oldBytes);
    }
    System.arraycopy(append.suffix().arrayUnsafe(), 0, value, oldBytes, append.suffix().size());
    return change(append.key(), before, Bytes.wrapUnsafe(value), lease(before))
        ? new OpResult.Append(newBytes)
        : null;
  }

  private @Nullable Bytes value(Bytes key, @Nullable LatestRow row) {
    return row == null || row.tombstone() ? null : rows.newest(key, row, true).value();
  }

  private static long lease(@Nullable LatestRow row) {
    return row == null ? 0 : row.lease();
  }

  private boolean change(Bytes key, @Nullable LatestRow before, Bytes value, long lease) {
    if (!mayChangeOneMore()) {
      return false;
    }
    long revision = state.revision() + 1;
    changes.add(key, LatestRow.put(before, revision, changes.size(), lease, value), before);
    return true;
  }

  private @Nullable OpResult deleteRange(Op.DeleteRange delete) {
    List<Bytes> keys = new ArrayList<>();
    List<LatestRow> found = new ArrayList<>();
    List<KeyValue> previous = new ArrayList<>();
    Changes.Visitor victims =
        (key, row) -> {
          if (row.tombstone()) {
            return true;
          }
          keys.add(key);
          found.add(row);
          if (delete.options().previous()) {
            KeyValue held = rows.newest(key, row, true);
            previous.add(held);
            return mayAnswer(held) && mayChange(keys.size());
          }
          return mayChange(keys.size());
        };
    if (delete.range().isSingle()) {
      Bytes key = delete.range().from();
      LatestRow row = changes.find(key);
      boolean unused = row == null || victims.visit(key, row);
    } else {
      changes.scan(delete.range(), false, victims);
    }
    if (refusal != null) {
      return null;
    }
    for (int i = 0; i < keys.size(); i++) {
      LatestRow tombstone = LatestRow.deleted(state.revision() + 1, changes.size());
      changes.add(keys.get(i), tombstone, found.get(i));
    }
    return new OpResult.DeleteRange(keys.size(), previous);
  }

  private @Nullable OpResult range(Op.Range read) {
    RangeOptions options = read.options();
    refusal = state.refuseRevision(options.revision());
    if (refusal != null) {
      return null;
    }
    RangeAnswer answer =
        new RangeAnswer(options, Math.max(0, StoreLimits.TXN_ANSWER_BYTES_MAX - answerBytes));
    // A state of the past does not have what this transaction changes.
    boolean isPast = options.revision() != 0;
    Changes.Visitor readers =
        (key, row) -> {
          boolean exists =
              answer.offer(withValue -> version(key, row, options.revision(), withValue));
          boolean counts = exists || !row.tombstone();
          return (!counts || mayLookAtOneMore()) && !answer.isComplete();
        };
    Changes seen = isPast ? new Changes(rows) : changes;
    if (read.range().isSingle()) {
      Bytes key = read.range().from();
      LatestRow row = seen.find(key);
      boolean unused = row == null ? mayLookAtOneMore() : readers.visit(key, row);
    } else {
      seen.scan(read.range(), RangeAnswer.scansInReverse(options), readers);
    }
    List<KeyValue> found = answer.keyValues();
    answered += found.size();
    answerBytes += answer.bytes();
    if (refusal != null || answer.isCutBySize() || isAnswerTooLarge()) {
      return refusal != null ? null : refuseAnswer();
    }
    return new OpResult.Range(found, answer.more(), answer.count());
  }

  private @Nullable KeyValue version(Bytes key, LatestRow row, long revision, boolean withValue) {
    if (revision != 0) {
      return rows.at(revision, key, row, withValue);
    }
    return row.tombstone() ? null : rows.newest(key, row, withValue);
  }

  private boolean mayLookAtOneMore() {
    lookedAt++;
    if (lookedAt > lookedAtMax) {
      OpResult unused =
          refuse(
              Reason.TOO_LARGE,
              "comparisons and reads of a transaction look at no more than "
                  + lookedAtMax
                  + " keys");
      return false;
    }
    return true;
  }

  private boolean mayChangeOneMore() {
    return mayChange(1);
  }

  private boolean mayChange(int more) {
    if (changes.size() + more <= StoreLimits.CHANGES_MAX) {
      return true;
    }
    OpResult unused =
        refuse(
            Reason.TOO_LARGE,
            "more than " + StoreLimits.CHANGES_MAX + " keys would be put or deleted at once");
    return false;
  }

  private boolean mayAnswer(KeyValue one) {
    answered++;
    answerBytes += StoreLimits.answerBytes(one);
    if (!isAnswerTooLarge()) {
      return true;
    }
    OpResult unused = refuseAnswer();
    return false;
  }

  /** A single key is given back whatever its size. */
  private boolean isAnswerTooLarge() {
    return answered > 1 && answerBytes > StoreLimits.TXN_ANSWER_BYTES_MAX;
  }

  private @Nullable OpResult refuseAnswer() {
    return refuse(
        Reason.TOO_LARGE,
        "what is read, or held before, has more than the "
            + StoreLimits.TXN_ANSWER_BYTES_MAX
            + " bytes that are given back at once");
  }

  private @Nullable OpResult refuse(Reason reason, String why) {
    if (refusal == null) {
      refusal = new Refusal(reason, why + "; nothing was changed");
    }
    return null;
  }
}
