package io.kvorum.simulator.world;

import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.FrameNews;

/** What members send to each other, and how it is told of. */
sealed interface Cargo {
  NodeId to();

  SimEvent sent(long now, long number);

  SimEvent delivered(long now, long number);

  SimEvent lost(long now, long number, String why);

  void handTo(Transport.Receiver receiver);

  /** A message of the protocol. */
  record Letter(Envelope envelope) implements Cargo {
    @Override
    public NodeId to() {
      return envelope.to();
    }

    @Override
    public SimEvent sent(long now, long number) {
      return new SimEvent.Sent(now, number, envelope);
    }

    @Override
    public SimEvent delivered(long now, long number) {
      return new SimEvent.Delivered(now, number, envelope);
    }

    @Override
    public SimEvent lost(long now, long number, String why) {
      return new SimEvent.Lost(now, number, envelope, why);
    }

    @Override
    public void handTo(Transport.Receiver receiver) {
      receiver.received(envelope);
    }
  }

  /** Part of the talk about a snapshot. */
  record Frame(NodeId from, NodeId to, SnapshotFrame frame) implements Cargo {
    @Override
    public SimEvent sent(long now, long number) {
      return told(now, FrameNews.SENT, number, "");
    }

    @Override
    public SimEvent delivered(long now, long number) {
      return told(now, FrameNews.DELIVERED, number, "");
    }

    @Override
    public SimEvent lost(long now, long number, String why) {
      return told(now, FrameNews.LOST, number, ": " + why);
    }

    private SimEvent told(long now, FrameNews news, long number, String why) {
      return new SimEvent.Framed(now, news, number, from, to, frame + why);
    }

    @Override
    public void handTo(Transport.Receiver receiver) {
      receiver.received(from, frame);
    }
  }
}
