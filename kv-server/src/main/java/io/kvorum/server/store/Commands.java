package io.kvorum.server.store;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnsafeByteOperations;
import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.PutOptions;
import io.kvorum.node.Feature;
import io.kvorum.node.StateSum;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.protocol.Check;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Compact;
import io.kvorum.server.store.protocol.Compare;
import io.kvorum.server.store.protocol.LeaseCheckpoint;
import io.kvorum.server.store.protocol.LeaseExpire;
import io.kvorum.server.store.protocol.LeaseGrant;
import io.kvorum.server.store.protocol.LeaseRenew;
import io.kvorum.server.store.protocol.LeaseRevoke;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Quota;
import io.kvorum.server.store.protocol.Range;
import io.kvorum.server.store.protocol.Txn;
import io.kvorum.server.store.protocol.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The payloads of COMMAND entries (store.proto). Encoding checks no limit: see {@link StoreLimits}.
 */
public final class Commands {
  private Commands() {}

  /**
   * What an entry needs that not every version has; null if nothing. A node proposes it only
   * through {@link io.kvorum.node.RaftNode#propose(Feature, byte[],
   * io.kvorum.node.ProposalListener)}.
   */
  public static @Nullable Feature feature(Entry entry) {
    return entry.type() == EntryType.COMMAND ? UsedFeatures.of(decode(entry)) : null;
  }

  /** A put; {@code timeMillis} is the proposer's clock, milliseconds since the epoch. */
  public static byte[] put(Bytes key, Bytes value, PutOptions options, long timeMillis) {
    return put(
        UnsafeByteOperations.unsafeWrap(key.arrayUnsafe()),
        UnsafeByteOperations.unsafeWrap(value.arrayUnsafe()),
        options,
        Stamp.at(timeMillis));
  }

  /** As {@link #put(Bytes, Bytes, PutOptions, long)}, with the bytes as they came in a request. */
  public static byte[] put(ByteString key, ByteString value, PutOptions options, Stamp stamp) {
    return stamp.command().setPut(Operations.put(key, value, options)).build().toByteArray();
  }

  /** A delete of a range, of one key with {@link KeyRange#single}. */
  public static byte[] deleteRange(KeyRange range, DeleteOptions options, long timeMillis) {
    return deleteRange(range, options, Stamp.at(timeMillis));
  }

  /** As above, as a client may propose it again. */
  public static byte[] deleteRange(KeyRange range, DeleteOptions options, Stamp stamp) {
    return stamp
        .command()
        .setDeleteRange(Operations.deleteRange(range, options))
        .build()
        .toByteArray();
  }

  /** A transaction. */
  public static byte[] txn(io.kvorum.api.Txn txn, long timeMillis) {
    return txn(txn, Stamp.at(timeMillis));
  }

  /** As above, as a client may propose it again. */
  public static byte[] txn(io.kvorum.api.Txn txn, Stamp stamp) {
    return stamp.command().setTxn(Operations.toProto(txn)).build().toByteArray();
  }

  /** Gives up the history before a revision. */
  public static byte[] compact(long revision, long timeMillis) {
    return compact(revision, Stamp.at(timeMillis));
  }

  /** As above, as a client may propose it again. */
  public static byte[] compact(long revision, Stamp stamp) {
    return stamp
        .command()
        .setCompact(Compact.newBuilder().setRevision(revision))
        .build()
        .toByteArray();
  }

  /** Sets how much the store may take; 0: as much as there is. */
  public static byte[] quota(long bytes, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setQuota(Quota.newBuilder().setBytes(bytes))
        .build()
        .toByteArray();
  }

  /** Grants a lease. */
  public static byte[] leaseGrant(long id, long ttlMillis, long timeMillis) {
    return leaseGrant(id, ttlMillis, false, Stamp.at(timeMillis));
  }

  /** Grants a lease, or begins a session. */
  public static byte[] leaseGrant(long id, long ttlMillis, boolean session, Stamp stamp) {
    return stamp
        .command()
        .setLeaseGrant(
            LeaseGrant.newBuilder().setId(id).setTtlMillis(ttlMillis).setSession(session))
        .build()
        .toByteArray();
  }

  /** Revokes a lease. */
  public static byte[] leaseRevoke(long id, long timeMillis) {
    return leaseRevoke(id, Stamp.at(timeMillis));
  }

  /** As above, as a client may propose it again. */
  public static byte[] leaseRevoke(long id, Stamp stamp) {
    return stamp.command().setLeaseRevoke(LeaseRevoke.newBuilder().setId(id)).build().toByteArray();
  }

  /** Renews leases. */
  public static byte[] leaseRenew(List<Long> ids, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setLeaseRenew(LeaseRenew.newBuilder().addAllId(ids))
        .build()
        .toByteArray();
  }

  /** Ends a lease, unless it was renewed behind that index. */
  public static byte[] leaseExpire(long id, long renewedIndex, long timeMillis) {
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setLeaseExpire(LeaseExpire.newBuilder().setId(id).setRenewedIndex(renewedIndex))
        .build()
        .toByteArray();
  }

  /** Writes down how much of their time these leases have left, as the rows say. */
  public static byte[] leaseCheckpoint(Map<Long, LeaseRow> remaining, long timeMillis) {
    LeaseCheckpoint.Builder checkpoint = LeaseCheckpoint.newBuilder();
    remaining.forEach(
        (id, row) ->
            checkpoint.addLease(
                LeaseCheckpoint.Remaining.newBuilder()
                    .setId(id)
                    .setRenewedIndex(row.renewedIndex())
                    .setMillis(row.remainingMillis())));
    return Command.newBuilder()
        .setTimeMillis(timeMillis)
        .setLeaseCheckpoint(checkpoint)
        .build()
        .toByteArray();
  }

  /** Has every member remember the hash of its state. */
  static byte[] check() {
    return Command.newBuilder().setCheck(Check.getDefaultInstance()).build().toByteArray();
  }

  /** Says what a majority has found. */
  static byte[] verdict(StateSum agreed) {
    return Command.newBuilder()
        .setVerdict(
            Verdict.newBuilder()
                .setIndex(agreed.index())
                .setFormat(agreed.format())
                .setHash(agreed.hash()))
        .build()
        .toByteArray();
  }

  /** What a verdict says, which {@link #decode} has accepted. */
  static StateSum agreed(Verdict verdict) {
    return new StateSum(verdict.getIndex(), verdict.getFormat(), verdict.getHash());
  }

  /** The time stamp of an entry, milliseconds since the epoch; 0 if it has none that counts. */
  public static long timeMillis(Entry entry) {
    boolean isRead =
        entry.type() == EntryType.COMMAND && StoreLimits.refuseCommand(entry.payload()) == null;
    return isRead ? decode(entry).getTimeMillis() : 0;
  }

  /**
   * Reads a membership back.
   *
   * @throws UnknownCommandException if the entry names none that is valid
   */
  static Membership membership(Entry entry) {
    try {
      return Membership.decode(entry.payload());
    } catch (InvariantViolation malformed) {
      throw new UnknownCommandException(entry, "names no membership", malformed);
    }
  }

  /**
   * Reads a command back. Its byte strings are views of the payload.
   *
   * @throws UnknownCommandException if it is damaged, holds no operation, or holds a field that
   *     this version does not know: to leave that out could change what the command means
   */
  static Command decode(Entry entry) {
    Command command;
    try {
      CodedInputStream input = UnsafeByteOperations.unsafeWrap(entry.payload()).newCodedInput();
      input.enableAliasing(true);
      command = Command.parseFrom(input);
    } catch (InvalidProtocolBufferException damaged) {
      throw new UnknownCommandException(entry, "does not hold a command", damaged);
    } catch (IOException impossible) {
      throw new UncheckedIOException("reading from an array", impossible);
    }
    if (command.getOpCase() == Command.OpCase.OP_NOT_SET) {
      throw new UnknownCommandException(entry, "holds no known command", null);
    }
    if (holdsUnknown(command)) {
      throw new UnknownCommandException(entry, "holds a command with an unknown part", null);
    }
    if (command.hasVerdict() && !isSound(command.getVerdict(), entry.index())) {
      throw new UnknownCommandException(entry, "holds a verdict that says nothing", null);
    }
    return command;
  }

  private static boolean isSound(Verdict verdict, long verdictIndex) {
    try {
      return agreed(verdict).index() < verdictIndex;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  /** Whether it holds what this version does not know, at any depth. */
  private static boolean holdsUnknown(Command command) {
    return isUnknown(command)
        || (command.hasNumbered() && isUnknown(command.getNumbered()))
        || (command.hasIdempotency() && isUnknown(command.getIdempotency()))
        || (command.hasPut() && isUnknown(command.getPut()))
        || (command.hasDeleteRange() && isUnknown(command.getDeleteRange()))
        || (command.hasTxn() && holdsUnknown(command.getTxn()))
        || isUnknown(command.getQuota())
        || isUnknown(command.getCheck())
        || isUnknown(command.getVerdict())
        || holdsUnknownOfLeases(command);
  }

  private static boolean holdsUnknownOfLeases(Command command) {
    return (command.hasCompact() && isUnknown(command.getCompact()))
        || (command.hasLeaseGrant() && isUnknown(command.getLeaseGrant()))
        || (command.hasLeaseRevoke() && isUnknown(command.getLeaseRevoke()))
        || (command.hasLeaseRenew() && isUnknown(command.getLeaseRenew()))
        || (command.hasLeaseExpire() && isUnknown(command.getLeaseExpire()))
        || isUnknown(command.getLeaseCheckpoint())
        || command.getLeaseCheckpoint().getLeaseList().stream().anyMatch(Commands::isUnknown);
  }

  private static boolean holdsUnknown(Txn txn) {
    return isUnknown(txn)
        || txn.getCompareList().stream().anyMatch(Commands::holdsUnknown)
        || txn.getSuccessList().stream().anyMatch(Commands::holdsUnknown)
        || txn.getFailureList().stream().anyMatch(Commands::holdsUnknown);
  }

  private static boolean holdsUnknown(Compare compare) {
    return isUnknown(compare)
        || compare.getTarget() == Compare.Target.UNRECOGNIZED
        || compare.getRelation() == Compare.Relation.UNRECOGNIZED;
  }

  private static boolean holdsUnknown(Operation operation) {
    return isUnknown(operation)
        || switch (operation.getOpCase()) {
          case PUT -> isUnknown(operation.getPut());
          case DELETE_RANGE -> isUnknown(operation.getDeleteRange());
          case RANGE ->
              isUnknown(operation.getRange())
                  || operation.getRange().getSortBy() == Range.SortBy.UNRECOGNIZED;
          case TXN -> holdsUnknown(operation.getTxn());
          case ADD -> isUnknown(operation.getAdd());
          case APPEND -> isUnknown(operation.getAppend());
          case OP_NOT_SET -> true;
        };
  }

  private static boolean isUnknown(Message message) {
    return !message.getUnknownFields().asMap().isEmpty();
  }
}
