package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.Header;
import io.kvorum.api.KvException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.protocol.TxnRules;
import io.kvorum.protocol.Wire;
import io.kvorum.raft.Entry;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Idempotency;
import io.kvorum.server.store.protocol.Numbered;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Executes the command of one entry: decides whether it takes effect at all, or did before; what it
 * changes; and what it results in.
 *
 * <p>A command may come again, through the log, as often as its client likes (docs/adr/0011). With
 * a number in a session it is executed when that number is neither answered nor acknowledged; what
 * it results in is kept, a refusal too: whoever was told of it must be told nothing else, and a
 * copy of the command that comes later must do nothing. What was refused before it came into the
 * log is not known here, and so not kept (FAULTS F104).
 */
final class CommandExecution {
  private final Overlay overlay;
  private final Rows rows;
  private final Replies replies;
  private final Entry entry;
  private StoreState state;
  private @Nullable Changes changes;
  private boolean lackedSpace;

  /**
   * An execution.
   *
   * @param rows of the state
   * @param state before the entry
   */
  CommandExecution(Overlay overlay, Rows rows, StoreState state, Entry entry) {
    this.overlay = overlay;
    this.rows = rows;
    this.replies = overlay.replies();
    this.state = state;
    this.entry = entry;
  }

  /** After the entry. */
  StoreState state() {
    return state;
  }

  /** What has changed; null: nothing. */
  @Nullable Changes changes() {
    return changes;
  }

  /** Executes it, or finds that it was, or must not be. */
  ApplyResult execute(Command command) {
    state = state.advancedTo(entry.id(), Math.max(state.logTimeMillis(), command.getTimeMillis()));
    ApplyResult result = command.hasNumbered() ? inSession(command) : underKey(command);
    state = state.withSpace(overlay.used().in(state.space()).settled(lackedSpace));
    return result;
  }

  private ApplyResult inSession(Command command) {
    Numbered numbered = command.getNumbered();
    long sequence = numbered.getSequence();
    Refusal malformed = StoreLimits.refuseNumbered(command);
    if (malformed != null) {
      return rejected(malformed);
    }
    Replies.Session session = replies.session(numbered.getSession());
    // Its client may have been told that this number was executed: nobody here knows any more.
    if (session == null) {
      return rejected(Reason.SESSION_EXPIRED, "there is no session " + numbered.getSession());
    }
    // A copy that was long on its way. Nobody waits for it, and it may have been executed.
    if (session.isAcknowledged(sequence)) {
      return rejected(
          Reason.INVALID_ARGUMENT,
          "number " + sequence + " of session " + numbered.getSession() + " was acknowledged");
    }
    ApplyResult first = session.reply(sequence);
    ApplyResult result;
    if (first != null) {
      result = new ApplyResult.Repeated(header(), first);
    } else if (session.isFull()) {
      // If what is acknowledged below makes room, the next try finds it.
      result = new ApplyResult.Full(header(), "a session keeps no more unacknowledged results");
    } else {
      result = underKey(command);
      // Unless it could not be executed yet.
      if (!(result instanceof ApplyResult.Full)) {
        session.answered(sequence, result.first());
      }
    }
    session.acknowledge(numbered.getAcknowledgedBelow());
    return result;
  }

  private ApplyResult underKey(Command command) {
    if (!command.hasIdempotency()) {
      return executed(command);
    }
    Refusal malformed = StoreLimits.refuseIdempotency(command);
    if (malformed != null) {
      return rejected(malformed);
    }
    Idempotency idempotency = command.getIdempotency();
    Bytes key = Wire.fromProto(idempotency.getKey());
    Bytes fingerprint = Fingerprint.of(command);
    Replies.Kept record = replies.record(key);
    if (record != null && !record.isOf(fingerprint)) {
      return rejected(
          Reason.IDEMPOTENCY_KEY_REUSED, "the idempotency key was given to another operation");
    }
    if (record != null) {
      return new ApplyResult.Repeated(header(), record.result());
    }
    if (replies.areRecordsFull()) {
      return new ApplyResult.Full(header(), "the store keeps no more idempotency keys");
    }
    ApplyResult result = executed(command);
    // What was refused has not happened; it may happen later, under the same key.
    if (!(result instanceof ApplyResult.Rejected)) {
      long ttl = Math.max(idempotency.getTtlMillis(), StoreLimits.LEASE_TTL_MILLIS_MIN);
      long lease = overlay.leases().unusedId(entry.index());
      overlay.leases().put(lease, LeaseRow.granted(ttl, entry.index(), LeaseKind.IDEMPOTENCY));
      replies.keep(key, new Replies.Kept(lease, fingerprint, result));
    }
    return result;
  }

  private ApplyResult executed(Command command) {
    return switch (command.getOpCase()) {
      case PUT, DELETE_RANGE, TXN -> applyOps(command);
      // They compare states, and change none: see CheckMemory.
      case CHECK, VERDICT -> new ApplyResult.NothingApplied(header());
      case COMPACT -> compact(command.getCompact().getRevision());
      case QUOTA -> setQuota(command.getQuota().getBytes());
      default -> applyLeases(command);
    };
  }

  /** What can be read follows from this alone; see {@link Compaction} for the rest. */
  private ApplyResult compact(long revision) {
    Refusal refusal = state.refuseCompaction(revision);
    if (refusal != null) {
      return rejected(refusal);
    }
    UsedSpace used = overlay.used();
    boolean isNewest = revision == state.revision();
    used.compacted(isNewest ? used.supersededBytes() : overlay.supersededBytes(revision));
    state = state.withCompactRevision(revision);
    return new ApplyResult.Compacted(new CompactResult(header()));
  }

  /** One that is smaller than what is used takes nothing away: from then on nothing is added. */
  private ApplyResult setQuota(long bytes) {
    Refusal refusal = StoreLimits.refuseQuota(bytes);
    if (refusal != null) {
      return rejected(refusal);
    }
    state = state.withSpace(overlay.used().in(state.space()).withQuota(bytes).settled(false));
    return new ApplyResult.QuotaSet(header(), state.space());
  }

  /** The same refusal on every member, whatever its disk has left; null: there is room. */
  private @Nullable Refusal refuseSpace(long bytes) {
    Refusal refusal = state.space().refuse(bytes);
    lackedSpace |= refusal != null;
    return refusal;
  }

  private ApplyResult applyLeases(Command command) {
    // Not what begins a session: without one, nobody could delete anything exactly once.
    boolean grows = command.hasLeaseGrant() && !command.getLeaseGrant().getSession();
    Refusal full = grows ? refuseSpace(Space.LEASE_BYTES) : null;
    if (full != null) {
      return rejected(full);
    }
    LeaseExecution execution = new LeaseExecution(rows, overlay, state.revision(), entry);
    Function<Header, ApplyResult> result = execution.execute(command);
    changed(execution.changes());
    return result.apply(header());
  }

  private ApplyResult applyOps(Command command) {
    Execution execution = new Execution(rows, state, StoreLimits.LOOKED_AT_MAX);
    OpResult result = null;
    Refusal refusal;
    try {
      result = execute(command, execution);
      refusal = execution.refusal();
    } catch (KvException.Rejected malformed) {
      refusal = new Refusal(malformed.reason(), String.valueOf(malformed.getMessage()));
    }
    if (refusal == null && execution.changes().grows()) {
      refusal = refuseSpace(execution.changes().bytes());
    }
    if (refusal != null) {
      return rejected(refusal);
    }
    if (result == null) {
      throw new InvariantViolation("what has no result was refused");
    }
    // From here on it takes effect.
    execution.changes().applyTo(overlay);
    changed(execution.changes());
    return applied(result);
  }

  /** What changes nothing makes no revision. */
  private void changed(Changes all) {
    changes = all;
    if (all.size() > 0) {
      state = state.withRevision(state.revision() + 1);
    }
  }

  /** What the command results in; null if it is refused. It has changed nothing yet. */
  private static @Nullable OpResult execute(Command command, Execution execution) {
    if (command.hasTxn()) {
      Txn txn = Operations.txn(command.getTxn());
      checkAccepted(TxnRules.refuse(txn));
      return execution.execute(txn);
    }
    Op op =
        command.hasPut()
            ? Operations.op(command.getPut())
            : Operations.op(command.getDeleteRange());
    checkAccepted(TxnRules.refuse(op));
    return execution.execute(op);
  }

  private static void checkAccepted(KvException.@Nullable Rejected refused) {
    if (refused != null) {
      throw refused;
    }
  }

  private ApplyResult applied(OpResult result) {
    if (result instanceof OpResult.Put put) {
      return new ApplyResult.PutApplied(new PutResult(header(), put.previous()));
    }
    if (result instanceof OpResult.DeleteRange delete) {
      return new ApplyResult.DeleteApplied(
          new DeleteResult(header(), delete.deleted(), delete.previous()));
    }
    if (result instanceof OpResult.Nested txn) {
      return new ApplyResult.TxnApplied(new TxnResult(header(), txn.succeeded(), txn.results()));
    }
    throw new AssertionError("no command results in " + result.getClass());
  }

  private ApplyResult rejected(Reason reason, String why) {
    return rejected(new Refusal(reason, why + "; nothing was changed"));
  }

  private ApplyResult rejected(Refusal refusal) {
    return new ApplyResult.Rejected(header(), refusal);
  }

  private Header header() {
    return state.header();
  }
}
