package io.kvorum.server.simulated;

import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Carries messages late, out of order, twice or not at all. */
final class SimulatedNetwork {
  private static final long DELAY_NANOS_MAX = 2_000_000;

  private record Link(NodeId from, NodeId to) {}

  private final VirtualTime time;
  private final Map<NodeId, Endpoint> endpoints = new TreeMap<>();
  private final Set<Link> cut = new HashSet<>();
  private double lossRate;

  SimulatedNetwork(VirtualTime time) {
    this.time = time;
  }

  void lossRate(double rate) {
    lossRate = rate;
  }

  void cut(NodeId from, NodeId to) {
    cut.add(new Link(from, to));
  }

  void heal() {
    cut.clear();
    lossRate = 0;
  }

  Transport attach(NodeId self) {
    Endpoint endpoint = new Endpoint();
    endpoints.put(self, endpoint);
    return endpoint;
  }

  void detach(NodeId self) {
    endpoints.remove(self);
  }

  /** What a killed process does to the connections of the others. */
  void reset(NodeId gone) {
    endpoints.forEach((id, endpoint) -> endpoint.unreachable(gone));
  }

  private void send(Envelope envelope) {
    boolean lost = time.random().nextDouble() < lossRate;
    if (lost || cut.contains(new Link(envelope.from(), envelope.to()))) {
      return;
    }
    int copies = time.random().nextDouble() < lossRate ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      time.schedule(time.random().nextLong(DELAY_NANOS_MAX), () -> deliver(envelope));
    }
  }

  private void deliver(Envelope envelope) {
    Endpoint target = endpoints.get(envelope.to());
    if (target != null) {
      target.receive(envelope);
    }
  }

  private final class Endpoint implements Transport {
    private Receiver receiver;

    @Override
    public void members(Membership membership) {
      // Everybody reaches everybody.
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
    }

    @Override
    public void send(Envelope envelope) {
      SimulatedNetwork.this.send(envelope);
    }

    @Override
    public void flush() {
      // Nothing is held back.
    }

    @Override
    public void close() {
      receiver = null;
    }

    void receive(Envelope envelope) {
      if (receiver != null) {
        receiver.received(envelope);
      }
    }

    void unreachable(NodeId peer) {
      if (receiver != null) {
        receiver.unreachable(peer);
      }
    }
  }
}
