package io.kvorum.simulator.world;

import io.kvorum.node.Divergence;
import io.kvorum.node.RaftNode;
import io.kvorum.node.StateStatus;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.LogReader;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.ServingNode;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import io.kvorum.simulator.trace.SimEvent.StateNews;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

  private final LowLeaderWatch space;
  private final @Nullable SnapshotStore snapshots;
  private final boolean compares;
  private @Nullable StateNews state;
  private @Nullable Manifest newest;
  private EntryId compacted;

  /** Whether it knows that its log lacks something. */
  private boolean lacks;

  /**
   * Who watches a node that is about to start.
   *
   * @param snapshots null if the node has none
   * @param compares whether the members compare their states
   */
  NodeWatch(
      ServingNode serving,
      NodeId self,
      Journal journal,
      @Nullable SnapshotStore snapshots,
      boolean compares) {
    this.serving = serving;
    this.self = self;
    this.journal = journal;
    this.space = new LowLeaderWatch(self, journal);
    this.snapshots = snapshots;
    this.compares = compares;
    this.compacted = serving.log().compacted();
    this.storedIndex = compacted.index();
    this.lacks = serving.node().status().repairing();
    if (lacks) {
      journal.tell(new SimEvent.LogLacks(journal.now(), self, true));
    }
    if (snapshots != null) {
      newest = snapshots.newest();
      tell(SnapshotNews.FOUND, newest == null ? EntryId.ZERO : newest.meta().last());
      if (compacted.index() > 0) {
        tellCompacted();
      }
    }
  }

  private void tell(SnapshotNews news, EntryId last) {
    journal.tell(new SimEvent.SnapshotTold(journal.now(), news, self, last));
  }

  private void tellCompacted() {
    boolean isEmpty = serving.log().last().equals(compacted);
    tell(isEmpty ? SnapshotNews.LOG_RESET : SnapshotNews.LOG_CUT, compacted);
  }

  private void lookAtSnapshots(SnapshotStore store) {
    Manifest now = store.newest();
    if (!Objects.equals(now, newest)) {
      EntryId before = newest == null ? EntryId.ZERO : newest.meta().last();
      newest = now;
      // An older one is the newest when the one before has turned out to be damaged.
      if (now != null && now.meta().last().index() >= before.index()) {
        tell(SnapshotNews.PUBLISHED, now.meta().last());
      }
    }
    if (!serving.log().compacted().equals(compacted)) {
      compacted = serving.log().compacted();
      storedIndex = Math.max(storedIndex, compacted.index());
      tellCompacted();
    }
  }

  /** Between two tasks of the loop, or before the node says something to a peer. */
  void look() {
    RaftNode<?> node = serving.node();
    space.look(node);
    if (node.role() != role || node.term() != term) {
      role = node.role();
      term = node.term();
      journal.tell(new SimEvent.RoleTaken(journal.now(), self, term, node.role()));
    }
    if (!node.membership().equals(membership)) {
      membership = node.membership();
      journal.tell(new SimEvent.GroupChanged(journal.now(), self, membership));
    }
    if (compares) {
      lookAtState(node);
    }
    if (snapshots != null) {
      try {
        lookAtSnapshots(snapshots);
      } catch (UncheckedIOException | IllegalStateException failed) {
        // Its log has failed, or was closed, and the loop does not know yet.
        return;
      }
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
      return;
    }
    if (lacks && !node.status().repairing()) {
      lacks = false;
      journal.tell(new SimEvent.LogLacks(journal.now(), self, false));
    }
  }

  private void lookAtState(RaftNode<?> node) {
    StateStatus status = node.stateStatus();
    boolean isWrittenDown = status.last() instanceof Divergence;
    StateNews now =
        switch (status.phase()) {
          case SERVING -> StateNews.SERVING;
          case MARKING -> StateNews.MARKING;
          case WAITING, FETCHING, REBUILDING ->
              isWrittenDown ? StateNews.QUARANTINED : StateNews.MARKING;
        };
    if (now != state) {
      state = now;
      journal.tell(new SimEvent.StateTold(journal.now(), now, self, 0));
    }
  }

  private void lookAtLog(RaftNode<?> node) {
    last = node.last();
    durableIndex = node.durableIndex();
    commitIndex = node.commitIndex();
    // What was truncated is no longer durable; it is told of again when something replaces it.
    storedIndex = Math.min(storedIndex, durableIndex);
    LogReader log = serving.log();
    // While a snapshot is installed, the log may be empty already, and the core not know it.
    long readable = Math.min(durableIndex, log.last().index());
    storedIndex = Math.max(storedIndex, Math.min(readable, log.compacted().index()));
    if (storedIndex < readable) {
      List<EntryDigest> digests = new ArrayList<>();
      while (storedIndex < readable) {
        for (Entry entry : log.entries(storedIndex + 1, readable + 1, 1 << 20)) {
          digests.add(EntryDigest.of(entry));
          space.stored(entry);
          storedIndex = entry.index();
        }
      }
      journal.tell(new SimEvent.Stored(journal.now(), self, digests));
    }
    journal.tell(new SimEvent.LogMoved(journal.now(), self, last, durableIndex, commitIndex));
  }
}
