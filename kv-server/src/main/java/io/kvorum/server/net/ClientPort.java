package io.kvorum.server.net;

import io.kvorum.node.netty.NettyLoop;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for remote clients on the node's loop, so that a request reaches the Raft core without
 * changing threads. Bad bytes close the connection they came on, and are counted (DESIGN §8).
 */
public final class ClientPort implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientPort.class);

  private static final int CONNECTIONS_MAX = 4096;
  private static final int BACKLOG = 1024;
  private static final WriteBufferWaterMark UNSENT_BYTES =
      new WriteBufferWaterMark(1 << 20, 8 << 20);

  /** Of many bad connections, this many are logged one by one; the rest is only counted. */
  private static final long BAD_LOGGED_MAX = 20;

  private final RequestHandler handler;
  private final Consumer<Throwable> failed;
  private final int frameBytesMax;
  private final Set<Channel> connections = new LinkedHashSet<>();
  private final AtomicLong badConnections = new AtomicLong();
  private @Nullable Channel listener;

  /**
   * A port that does not listen yet.
   *
   * @param frameBytesMax the longest frame of a client
   * @param failed told of what must not happen on the loop: the node stops
   */
  public ClientPort(RequestHandler handler, int frameBytesMax, Consumer<Throwable> failed) {
    this.handler = handler;
    this.frameBytesMax = frameBytesMax;
    this.failed = failed;
  }

  /**
   * Listens. Blocks until it does.
   *
   * @param loop the node's
   * @throws UncheckedIOException if the address cannot be used, naming it
   */
  public void listen(NettyLoop loop, InetSocketAddress address) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop.eventLoop())
            .channelFactory(loop::newServerSocketChannel)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT_BYTES)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    FrameDecoder decoder = new FrameDecoder(frameBytesMax);
                    channel
                        .pipeline()
                        .addLast(decoder, new ClientConnection(ClientPort.this, decoder, channel));
                  }
                });
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new UncheckedIOException(
          "cannot listen for clients on "
              + address
              + ": "
              + bound.cause().getMessage()
              + "; is the port in use?",
          new IOException(bound.cause()));
    }
    listener = bound.channel();
  }

  /** The port that is listened on; differs from the one asked for when that was 0. */
  public int boundPort() {
    if (listener == null) {
      throw new IllegalStateException("not listening");
    }
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Connections closed for what came over them. */
  public long badConnections() {
    return badConnections.get();
  }

  RequestHandler handler() {
    return handler;
  }

  /** Whether there is room for one more connection. */
  boolean opened(Channel channel) {
    if (connections.size() >= CONNECTIONS_MAX) {
      bad(channel, "more than " + CONNECTIONS_MAX + " connections");
      return false;
    }
    connections.add(channel);
    return true;
  }

  void closed(Channel channel) {
    connections.remove(channel);
  }

  void bad(Channel channel, String why) {
    long count = badConnections.incrementAndGet();
    if (count <= BAD_LOGGED_MAX) {
      LOG.warn("connection of {} closed: {}", channel.remoteAddress(), why);
    } else {
      LOG.debug("connection of {} closed: {}", channel.remoteAddress(), why);
    }
    var unused = channel.close();
  }

  void failed(Throwable cause) {
    failed.accept(cause);
  }

  /** Stops to listen and closes all connections; returns when that has been done. */
  @Override
  public void close() {
    Channel open = listener;
    if (open == null) {
      return;
    }
    open.close().awaitUninterruptibly();
    open.eventLoop().submit(this::closeConnections).awaitUninterruptibly();
  }

  private void closeConnections() {
    for (Channel channel : List.copyOf(connections)) {
      var unused = channel.close();
    }
  }
}
