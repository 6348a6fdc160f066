package io.kvorum.node;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what arrives from other members to whom it is for.
 *
 * @param snapshots null if the node keeps none
 * @param step runs what may change the core, unless the node has stopped
 */
record Inbound(
    RaftCore core, @Nullable NodeSnapshots<?> snapshots, NodeSpace space, Consumer<Runnable> step)
    implements Transport.Receiver {
  @Override
  public void received(Envelope envelope) {
    step.accept(() -> core.step(envelope));
  }

  @Override
  public void received(NodeId from, SnapshotFrame frame) {
    NodeSnapshots<?> there = snapshots;
    if (frame instanceof SnapshotFrame.Space said) {
      space.received(from, said);
    } else if (there != null) {
      step.accept(() -> there.received(from, frame));
    }
  }

  @Override
  public void unreachable(NodeId peer) {
    step.accept(() -> core.unreachable(peer));
  }
}
