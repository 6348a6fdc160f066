package io.kvorum.simulator.world;

import io.kvorum.raft.NodeId;
import io.kvorum.server.store.History;
import io.kvorum.simulator.trace.KeyChange;
import io.kvorum.simulator.trace.SimEvent;
import java.util.List;

/** Tells what each revision has changed, once: as the first node that has applied it holds it. */
final class Chronicle {
  private long told = 1;

  /** The newest revision that any node has applied. */
  long newest() {
    return told;
  }

  /** The node has applied everything up to this revision. */
  void applied(NodeId node, History history, long revision, Journal journal) {
    while (told < revision) {
      told++;
      List<KeyChange> changes =
          history.revision(told).stream()
              .map(event -> new KeyChange(event.isDelete(), event.now(), List.of()))
              .toList();
      journal.tell(new SimEvent.Changed(journal.now(), node, told, changes));
    }
  }
}
