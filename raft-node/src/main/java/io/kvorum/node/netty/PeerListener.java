package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections: one of each peer counts, and a bounded number may still owe their hello. */
final class PeerListener extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(PeerListener.class);
  private static final int BACKLOG = 1_024;
  private static final long ACCEPT_PAUSE_NANOS = 1_000_000_000;

  /** Hears who calls. */
  @FunctionalInterface
  interface Callers {
    /**
     * This peer's hello was accepted.
     *
     * @param address where it says it is; empty if it does not
     */
    void called(NodeId peer, String address);
  }

  private final TransportContext context;
  private final Callers callers;
  private final ServerSocketChannel channel;

  /** Those without a hello, the oldest first. */
  private final Set<InboundConnection> waiting = new LinkedHashSet<>();

  private final Set<InboundConnection> greeted = new LinkedHashSet<>();
  private final Map<NodeId, InboundConnection> ways = new TreeMap<>();
  private boolean closed;

  /**
   * A listener that is not open yet.
   *
   * @param callers told of each hello that was accepted
   */
  PeerListener(TransportContext context, Callers callers) {
    this.context = context;
    this.callers = callers;
    this.channel = context.loop().newServerSocketChannel();
  }

  /**
   * Listens at once, so that whoever calls knows that it worked.
   *
   * @return the port
   * @throws UncheckedIOException naming address and port, if it cannot
   */
  int open(InetSocketAddress address) {
    channel.config().setReuseAddress(true).setBacklog(BACKLOG);
    channel.pipeline().addLast(this);
    ChannelFuture step = context.loop().eventLoop().register(channel);
    if (step.isSuccess()) {
      // Netty's bootstrap would bind in a later turn of the loop.
      step = channel.bind(address);
    }
    if (!step.isSuccess()) {
      close();
      throw cannotListen(address, step.cause());
    }
    return channel.localAddress().getPort();
  }

  private static UncheckedIOException cannotListen(
      InetSocketAddress address, @Nullable Throwable cause) {
    // The native transport has an exception of its own for a port in use.
    BindException why = new BindException(cause == null ? "not bound" : cause.getMessage());
    why.initCause(cause);
    return new UncheckedIOException(
        "cannot listen on "
            + address.getHostString()
            + ":"
            + address.getPort()
            + " for peers: "
            + why.getMessage(),
        why);
  }

  @Override
  public void channelRead(ChannelHandlerContext pipeline, Object message) {
    SocketChannel accepted = (SocketChannel) message;
    if (closed) {
      accepted.unsafe().closeForcibly();
      return;
    }
    makeRoom();
    InboundConnection connection = new InboundConnection(context, this, accepted);
    waiting.add(connection);
    connection.open();
  }

  /** A peer says hello at once; whoever has not for the longest time is the least likely one. */
  private void makeRoom() {
    while (!waiting.isEmpty()
        && waiting.size() + greeted.size() >= context.options().acceptedMax()) {
      InboundConnection oldest = waiting.iterator().next();
      oldest.refuse("too many", "more than " + context.options().acceptedMax() + " connections");
      oldest.end();
    }
  }

  /** The connection is now the way of this peer. */
  void greeted(InboundConnection connection, Greeting hello) {
    NodeId peer = hello.from();
    waiting.remove(connection);
    greeted.add(connection);
    InboundConnection before = ways.put(peer, connection);
    if (before != null) {
      // The peer has given that connection up, though its end has not reached us yet. What it held
      // must not come in between: end it before the first message of the new one (FAULTS F151).
      before.end();
    }
    callers.called(peer, hello.address());
  }

  /** Ends the connections that were accepted when this node did not know its group yet. */
  void endThoseWithoutAMark() {
    for (InboundConnection connection : new ArrayList<>(greeted)) {
      if (connection.isWithoutAMark()) {
        connection.end();
      }
    }
  }

  /** The connection is no more. */
  void ended(InboundConnection connection, @Nullable NodeId peer) {
    waiting.remove(connection);
    greeted.remove(connection);
    if (peer != null) {
      ways.remove(peer, connection);
      if (!closed) {
        context.receiver().unreachable(peer);
      }
    }
  }

  /** Out of file handles, most likely: give the others a moment instead of trying in a loop. */
  @Override
  public void exceptionCaught(ChannelHandlerContext pipeline, Throwable cause) {
    if (!(cause instanceof IOException || cause instanceof ChannelException)) {
      context.loop().failed(cause);
      return;
    }
    if (context.warnings().allows("accept")) {
      LOG.warn("{} cannot accept connections: {}", context.self(), cause.toString());
    }
    channel.config().setAutoRead(false);
    context.loop().lane().schedule(() -> channel.config().setAutoRead(true), ACCEPT_PAUSE_NANOS);
  }

  /** Listens no more, and closes all connections at once. */
  void close() {
    closed = true;
    if (channel.isRegistered()) {
      var unusedClose = channel.close();
    } else {
      channel.unsafe().closeForcibly();
    }
    for (Set<InboundConnection> some : List.of(waiting, greeted)) {
      new ArrayList<>(some).forEach(InboundConnection::end);
    }
  }
}
