package io.kvorum.simulator.world;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.api.KvException.Reason;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.Space;
import io.kvorum.server.store.SpaceCount;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Operation;
import io.kvorum.server.store.protocol.Put;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.SpaceNews;

/**
 * Tells of each command that meets a quota what it takes at least or at most, reckoned from its own
 * bytes as docs/FORMATS.md has it; and what all rows come to, beside what the store has counted.
 */
final class SpaceWatch {
  private static final int VERSION_BYTES = 96;
  private static final int ATTACHED_BYTES = 32;
  private static final int LEASE_BYTES = 64;

  /** Nothing that a quota would refuse. */
  private static final long UNKNOWN = -1;

  private final KvStateMachine store;
  private final NodeId node;
  private final Journal journal;

  SpaceWatch(KvStateMachine store, NodeId node, Journal journal) {
    this.store = store;
    this.node = node;
    this.journal = journal;
  }

  /** Whether each entry has to be applied by itself. */
  boolean isNeeded() {
    return store.space().quotaBytes() != 0;
  }

  /** An entry was applied, by itself, on a store that had this space. */
  void applied(Entry entry, ApplyResult result, Space before) {
    if (before.quotaBytes() == 0 || entry.type() != EntryType.COMMAND) {
      return;
    }
    Command command;
    try {
      command = Command.parseFrom(entry.payload());
    } catch (InvalidProtocolBufferException damaged) {
      throw new AssertionError("the store has understood it", damaged);
    }
    boolean isRefused =
        result instanceof ApplyResult.Rejected rejected
            && rejected.refusal().reason() == Reason.SPACE_EXCEEDED;
    long most = isRefused ? mostBytes(command) : UNKNOWN;
    long least = leastBytes(command, result);
    if (isRefused && !mayGrow(command)) {
      // Whatever is used already.
      tell(SpaceNews.REFUSED, 0, before.quotaBytes());
    } else if (most != UNKNOWN) {
      tell(SpaceNews.REFUSED, before.usedBytes() + most, before.quotaBytes());
    } else if (least != UNKNOWN) {
      tell(SpaceNews.ACCEPTED, before.usedBytes() + least, before.quotaBytes());
    }
  }

  /** Between two entries: as of what the tables hold. */
  void count() {
    if (isNeeded()) {
      Space said = SpaceCount.said(store.tables());
      Space counted = SpaceCount.counted(store.tables());
      tell(SpaceNews.USED, said.usedBytes(), counted.usedBytes());
      tell(SpaceNews.RECLAIMABLE, said.reclaimableBytes(), counted.reclaimableBytes());
    }
  }

  private void tell(SpaceNews news, long bytes, long otherBytes) {
    journal.tell(new SimEvent.SpaceTold(journal.now(), node, news, bytes, otherBytes));
  }

  private static boolean mayGrow(Command command) {
    return command.hasPut() || command.hasTxn() || command.hasLeaseGrant();
  }

  private static long leastBytes(Command command, ApplyResult result) {
    if (result instanceof ApplyResult.PutApplied) {
      return (long) VERSION_BYTES - ATTACHED_BYTES + command.getPut().getValue().size();
    }
    boolean isLease = command.hasLeaseGrant() && !command.getLeaseGrant().getSession();
    return isLease && result instanceof ApplyResult.LeaseGranted ? LEASE_BYTES : UNKNOWN;
  }

  private static long mostBytes(Command command) {
    if (command.hasPut()) {
      return mostBytes(command.getPut());
    }
    if (command.hasLeaseGrant()) {
      return LEASE_BYTES;
    }
    long most = 0;
    for (Operation operation : command.getTxn().getSuccessList()) {
      long bytes = mostBytes(operation);
      if (bytes == UNKNOWN) {
        return UNKNOWN;
      }
      most += bytes;
    }
    // Which branch it would have been, the result does not say.
    return command.getTxn().getFailureCount() == 0 ? most : UNKNOWN;
  }

  private static long mostBytes(Operation operation) {
    return switch (operation.getOpCase()) {
      case PUT -> mostBytes(operation.getPut());
      case RANGE -> 0;
      case ADD -> VERSION_BYTES + operation.getAdd().getKey().size() + (long) Long.BYTES;
      case DELETE_RANGE, TXN, APPEND, OP_NOT_SET -> UNKNOWN;
    };
  }

  private static long mostBytes(Put put) {
    long attached = ATTACHED_BYTES + (long) put.getKey().size();
    return VERSION_BYTES + put.getKey().size() + put.getValue().size() + attached;
  }
}
