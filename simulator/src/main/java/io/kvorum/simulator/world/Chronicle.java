package io.kvorum.simulator.world;

import io.kvorum.api.Header;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.History;
import io.kvorum.simulator.trace.KeyChange;
import io.kvorum.simulator.trace.SimEvent;
import java.util.List;

/** Tells what each revision has changed, once: as the first node that has applied it holds it. */
final class Chronicle {
  private long told = 1;
  private long appliedIndex;

  /** The newest revision that any node has applied. */
  long newest() {
    return told;
  }

  /** Up to here somebody has told what was applied. */
  long appliedIndex() {
    return appliedIndex;
  }

  /** The node has applied everything up to this place. */
  void applied(NodeId node, History history, Header now, Journal journal) {
    appliedIndex = Math.max(appliedIndex, now.appliedIndex());
    while (told < now.revision()) {
      told++;
      List<KeyChange> changes =
          history.revision(told).stream()
              .map(event -> new KeyChange(event.isDelete(), event.now(), List.of()))
              .toList();
      journal.tell(new SimEvent.Changed(journal.now(), node, told, changes));
    }
  }
}
