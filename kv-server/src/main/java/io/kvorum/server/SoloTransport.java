package io.kvorum.server;

import io.kvorum.node.Features;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;

/**
 * Of a cluster of one, for good: there is nobody to talk to. {@link MembersService} refuses to add
 * anybody.
 */
final class SoloTransport implements Transport {
  @Override
  public void members(Membership membership) {
    // There is nobody to reach.
  }

  @Override
  public void start(Receiver receiver) {
    // Nobody will call.
  }

  @Override
  public void send(Envelope envelope) {
    throw new InvariantViolation("a node alone has nobody to send to: " + envelope);
  }

  @Override
  public void send(NodeId to, SnapshotFrame frame) {
    throw new InvariantViolation("a node alone has nobody to send to: " + frame);
  }

  @Override
  public Features features(NodeId member) {
    return Features.ALL;
  }

  @Override
  public void flush() {
    // Nothing was queued.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
