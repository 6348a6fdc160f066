package io.kvorum.node.netty;

import io.kvorum.node.Clock;
import io.kvorum.node.Transport;
import io.kvorum.raft.NodeId;
import java.util.random.RandomGenerator;

/** What all connections of one transport share. */
record TransportContext(
    NettyLoop loop,
    HelloPolicy policy,
    TransportOptions options,
    Clock clock,
    RandomGenerator random,
    TransportCounters counters,
    WarnLimit warnings,
    Transport.Receiver receiver) {

  NodeId self() {
    return policy.identity().node();
  }
}
