package io.kvorum.simulator.world;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.LogReader;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.ServingNode;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a node from its loop and writes down what has changed: role, term, log, commit index.
 */
final class NodeWatch {
  private final ServingNode serving;
  private final Journal journal;
  private @Nullable RoleName role;
  private long term;
  private EntryId last = EntryId.ZERO;
  private long durableIndex;
  private long commitIndex;

  /** Entries up to here were told of as they are in the log now. */
  private long storedIndex;

  NodeWatch(ServingNode serving, Journal journal) {
    this.serving = serving;
    this.journal = journal;
    this.storedIndex = serving.log().compacted().index();
  }

  /** Between two tasks of the loop, or before the node says something to a peer. */
  void look() {
    RaftStatus status = serving.node().status();
    if (status.role() != role || status.term() != term) {
      role = status.role();
      term = status.term();
      journal.tell(new SimEvent.RoleTaken(journal.now(), status.self(), term, status.role()));
    }
    boolean moved =
        status.durableIndex() != durableIndex
            || status.commitIndex() != commitIndex
            || !status.last().equals(last);
    if (moved) {
      lookAtLog(status);
    }
  }

  private void lookAtLog(RaftStatus status) {
    last = status.last();
    durableIndex = status.durableIndex();
    commitIndex = status.commitIndex();
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
      journal.tell(new SimEvent.Stored(journal.now(), status.self(), digests));
    }
    journal.tell(
        new SimEvent.LogMoved(journal.now(), status.self(), last, durableIndex, commitIndex));
  }
}
