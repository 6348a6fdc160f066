package io.kvorum.node;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What arrives from other members goes to the core, or to the snapshots.
 *
 * @param snapshots null if the node keeps none
 * @param step runs what may change the core, unless the node has stopped
 */
record Inbound(RaftCore core, @Nullable NodeSnapshots<?> snapshots, Consumer<Runnable> step)
    implements Transport.Receiver {
  @Override
  public void received(Envelope envelope) {
    step.accept(() -> core.step(envelope));
  }

  @Override
  public void received(NodeId from, SnapshotFrame frame) {
    NodeSnapshots<?> takes = snapshots;
    if (takes != null) {
      step.accept(() -> takes.received(from, frame));
    }
  }

  @Override
  public void unreachable(NodeId peer) {
    step.accept(() -> core.unreachable(peer));
  }
}
