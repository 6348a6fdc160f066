package io.kvorum.node.netty;

import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;

/** Keeps what is delivered. */
final class Inbox implements Transport.Receiver {
  final List<Envelope> envelopes = new ArrayList<>();
  final List<SnapshotFrame> frames = new ArrayList<>();

  @Override
  public void received(Envelope envelope) {
    envelopes.add(envelope);
  }

  @Override
  public void received(NodeId from, SnapshotFrame frame) {
    frames.add(frame);
  }

  @Override
  public void unreachable(NodeId peer) {
    throw new AssertionError("nobody was connected");
  }
}
