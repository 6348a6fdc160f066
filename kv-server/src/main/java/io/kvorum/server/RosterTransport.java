package io.kvorum.server;

import io.kvorum.node.Features;
import io.kvorum.node.SnapshotFrame;
import io.kvorum.node.Transport;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import org.jspecify.annotations.Nullable;

/** A transport that also tells the {@link Roster} whenever the members change. */
final class RosterTransport implements Transport {
  private final Transport transport;
  private final Roster roster;

  RosterTransport(Transport transport, Roster roster) {
    this.transport = transport;
    this.roster = roster;
  }

  @Override
  public void members(Membership membership) {
    roster.changed(membership);
    transport.members(membership);
  }

  @Override
  public void start(Receiver receiver) {
    transport.start(receiver);
  }

  @Override
  public void send(Envelope envelope) {
    transport.send(envelope);
  }

  @Override
  public void send(NodeId to, SnapshotFrame frame) {
    transport.send(to, frame);
  }

  @Override
  public @Nullable Features features(NodeId member) {
    return transport.features(member);
  }

  @Override
  public void flush() {
    transport.flush();
  }

  @Override
  public void close() {
    transport.close();
  }
}
