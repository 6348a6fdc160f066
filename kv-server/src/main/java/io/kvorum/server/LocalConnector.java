package io.kvorum.server;

import io.kvorum.client.port.Connection;
import io.kvorum.client.port.Connector;
import io.kvorum.node.Lane;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.server.net.ClientSession;
import io.kvorum.server.net.EndpointNews;
import io.kvorum.server.net.RequestHandler;
import io.kvorum.server.watch.FrameSink;

/**
 * Connects the embedded client: to its own node by a hand-over on the loop that both share, to the
 * other members over the network (docs/adr/0005).
 */
final class LocalConnector implements Connector {
  private final Member self;
  private final RequestHandler handler;
  private final Lane loop;
  private final Connector network;

  LocalConnector(Member self, RequestHandler handler, Lane loop, Connector network) {
    this.self = self;
    this.handler = handler;
    this.loop = loop;
    this.network = network;
  }

  @Override
  public Connection connect(
      String host, int port, long timeoutNanos, Connection.Listener listener) {
    if (port != self.clientPort() || !host.equals(self.host())) {
      return network.connect(host, port, timeoutNanos, listener);
    }
    Local local = new Local(listener);
    loop.execute(local::open);
    return local;
  }

  private final class Local implements Connection, FrameSink {
    private final Listener listener;
    private final EndpointNews news = new EndpointNews(handler);
    private final ClientSession session = new ClientSession(handler, this);
    private boolean closed;

    Local(Listener listener) {
      this.listener = listener;
    }

    void open() {
      if (!closed) {
        listener.opened();
      }
    }

    @Override
    public void send(ClientFrame frame) {
      // Not at once: the listener hears nothing before the caller has returned.
      loop.execute(() -> session.handle(frame, this::push));
    }

    @Override
    public void push(ServerFrame frame) {
      if (!closed) {
        listener.received(news.addTo(frame));
      }
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close() {
      closed = true;
      session.close();
    }
  }
}
