package io.kvorum.simulator.world;

import io.kvorum.node.RaftNode;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.LogReader;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.ServingNode;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a node from its loop and writes down what has changed: role, term, log, commit index.
 */
final class NodeWatch {
  private final ServingNode serving;
  private final NodeId self;
  private final Journal journal;
  private @Nullable RoleName role;
  private long term;
  private @Nullable Membership membership;
  private EntryId last = EntryId.ZERO;
  private long durableIndex;
  private long commitIndex;

  /** Entries up to here were told of as they are in the log now. */
  private long storedIndex;

  NodeWatch(ServingNode serving, NodeId self, Journal journal) {
    this.serving = serving;
    this.self = self;
    this.journal = journal;
    this.storedIndex = serving.log().compacted().index();
  }

  /** Between two tasks of the loop, or before the node says something to a peer. */
  void look() {
    RaftNode<?> node = serving.node();
    if (node.role() != role || node.term() != term) {
      role = node.role();
      term = node.term();
      journal.tell(new SimEvent.RoleTaken(journal.now(), self, term, node.role()));
    }
    if (!node.membership().equals(membership)) {
      membership = node.membership();
      journal.tell(new SimEvent.GroupChanged(journal.now(), self, membership));
    }
    boolean moved =
        node.durableIndex() != durableIndex
            || node.commitIndex() != commitIndex
            || !node.last().equals(last);
    if (!moved) {
      return;
    }
    try {
      lookAtLog(node);
    } catch (UncheckedIOException failed) {
      // Its disk has failed, and the loop does not know yet: what is on it is not told any more.
      storedIndex = durableIndex;
    }
  }

  private void lookAtLog(RaftNode<?> node) {
    last = node.last();
    durableIndex = node.durableIndex();
    commitIndex = node.commitIndex();
    // What was truncated is no longer durable; it is told of again when something replaces it.
    storedIndex = Math.min(storedIndex, durableIndex);
    if (storedIndex < durableIndex) {
      List<EntryDigest> digests = new ArrayList<>();
      LogReader log = serving.log();
      while (storedIndex < durableIndex) {
        for (Entry entry : log.entries(storedIndex + 1, durableIndex + 1, 1 << 20)) {
          digests.add(EntryDigest.of(entry));
          storedIndex = entry.index();
        }
      }
      journal.tell(new SimEvent.Stored(journal.now(), self, digests));
    }
    journal.tell(new SimEvent.LogMoved(journal.now(), self, last, durableIndex, commitIndex));
  }
}
