package io.kvorum.simulator.world;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvorum.node.RaftNode;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.server.store.protocol.Operation;
import java.util.TreeMap;

/** A leader whose disk has little space takes nothing that needs more. */
final class LowLeaderWatch {
  private final NodeId self;
  private final Journal journal;

  /** Entries that came while the disk was low, and the terms in which they were the leader's. */
  private final TreeMap<Long, Long> suspects = new TreeMap<>();

  private boolean wasLow;
  private long lastIndex;
  private long term;

  LowLeaderWatch(NodeId self, Journal journal) {
    this.self = self;
    this.journal = journal;
  }

  /** After every turn of the loop: only what came in one that began and ended low is suspect. */
  void look(RaftNode<?> node) {
    boolean leads = node.role() == RoleName.LEADER;
    boolean isLow = leads && node.spaceStatus().isLow();
    long last = node.last().index();
    if (wasLow && isLow && node.term() == term) {
      for (long index = lastIndex + 1; index <= last; index++) {
        suspects.put(index, term);
      }
    }
    wasLow = isLow;
    lastIndex = last;
    term = node.term();
  }

  /** An entry can be read. */
  void stored(Entry entry) {
    Long ofTerm = suspects.remove(entry.index());
    if (ofTerm != null
        && ofTerm == entry.term()
        && entry.type() == EntryType.COMMAND
        && grows(entry)) {
      journal.violated(
          "NothingGrowsWithoutSpace", self + " leads, is low on space, and has taken " + entry);
    }
  }

  private static boolean grows(Entry entry) {
    try {
      Command command = Command.parseFrom(entry.payload());
      return command.hasPut()
          || (command.hasLeaseGrant() && !command.getLeaseGrant().getSession())
          || command.getTxn().getSuccessList().stream().anyMatch(Operation::hasPut)
          || command.getTxn().getFailureList().stream().anyMatch(Operation::hasPut);
    } catch (InvalidProtocolBufferException notACommand) {
      throw new AssertionError("an entry of the log that is no command: " + entry, notACommand);
    }
  }
}
