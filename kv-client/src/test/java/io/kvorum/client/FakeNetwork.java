package io.kvorum.client;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Connections in memory, on a {@link VirtualLoop}, to nodes that a test breaks as it likes. */
final class FakeNetwork implements Connector {
  /** One way. */
  static final Duration LATENCY = Duration.ofMillis(1);

  final VirtualLoop loop;

  /** The time that a frame takes; asked for each, and no frame overtakes another. */
  LongSupplier latencyNanos = LATENCY::toNanos;

  /** The frame that a client has sent last, whether it arrives or not. */
  ClientFrame lastSent;

  private final Map<String, FakeNode> nodes = new TreeMap<>();

  FakeNetwork(VirtualLoop loop) {
    this.loop = loop;
  }

  void add(String endpoint, FakeNode node) {
    nodes.put(endpoint, node);
  }

  @Override
  public Connection connect(
      String host, int port, long timeoutNanos, Connection.Listener listener) {
    FakeNode node = nodes.get(host + ":" + port);
    FakeConnection connection = new FakeConnection(node, listener);
    if (node == null) {
      connection.later(() -> connection.end("unknown host"));
      return connection;
    }
    node.attempts.add(loop.elapsed());
    switch (node.reach) {
      case UP -> connection.later(connection::open);
      case REFUSING -> connection.later(() -> connection.end("connection refused"));
      case UNREACHABLE -> loop.schedule(timeoutNanos, () -> connection.timeOut());
    }
    return connection;
  }

  /** Both ends of a connection. */
  final class FakeConnection implements Connection {
    private final FakeNode node;
    private final Listener listener;
    private boolean open;
    private boolean closed;
    private boolean ended;
    private long busyUntil;

    FakeConnection(FakeNode node, Listener listener) {
      this.node = node;
      this.listener = listener;
      this.busyUntil = loop.elapsed().toNanos();
    }

    private void later(Runnable arrival) {
      long now = loop.elapsed().toNanos();
      busyUntil = Math.max(busyUntil, now + latencyNanos.getAsLong());
      loop.schedule(busyUntil - now, arrival);
    }

    private void open() {
      if (closed) {
        return;
      }
      if (node.reach != FakeNode.Reach.UP) {
        end("connection refused");
        return;
      }
      open = true;
      node.connections.add(this);
      listener.opened();
    }

    private void timeOut() {
      if (!closed && !ended) {
        ended = true;
        listener.closed("connection timed out", true);
      }
    }

    /** The network breaks the connection; what is under way is lost in both directions. */
    void cut() {
      node.connections.remove(this);
      open = false;
      loop.schedule(0, () -> end("connection reset"));
    }

    private void end(String reason) {
      if (!closed && !ended) {
        ended = true;
        listener.closed(reason, false);
      }
    }

    @Override
    public void send(ClientFrame frame) {
      if (!open || closed) {
        return;
      }
      lastSent = frame;
      later(
          () -> {
            if (open) {
              node.receive(this, frame);
            }
          });
    }

    /** From the server. */
    void reply(ServerFrame frame) {
      later(
          () -> {
            if (open && !closed) {
              listener.received(frame);
            }
          });
    }

    @Override
    public boolean isWritable() {
      return open && !closed && node.takesMore;
    }

    void tellWritable() {
      later(
          () -> {
            if (isWritable()) {
              listener.writable();
            }
          });
    }

    @Override
    public void close() {
      closed = true;
      // The server hears of it a little later; what was sent before still arrives.
      later(
          () -> {
            open = false;
            node.connections.remove(this);
          });
    }
  }

  List<FakeConnection> connections() {
    List<FakeConnection> all = new ArrayList<>();
    nodes.values().forEach(node -> all.addAll(node.connections));
    return all;
  }
}
