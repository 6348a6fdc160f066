package io.kvorum.node.netty;

import io.kvorum.node.GroupMark;
import io.kvorum.raft.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A connection that somebody opened to this node. Until a hello was accepted it may hold a few
 * bytes for a few seconds; from then on it is the one way in for its peer's messages.
 */
final class InboundConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(InboundConnection.class);

  private final TransportContext context;
  private final PeerListener listener;
  private final SocketChannel channel;
  private final FrameDecoder decoder = new FrameDecoder(PeerCodec.HELLO_FRAME_BYTES_MAX);
  private final String remoteHost;
  private @Nullable Future<?> helloDue;
  private @Nullable NodeId peer;
  private boolean withoutAMark;
  private boolean closing;
  private boolean ended;

  InboundConnection(TransportContext context, PeerListener listener, SocketChannel channel) {
    this.context = context;
    this.listener = listener;
    this.channel = channel;
    InetSocketAddress remote = channel.remoteAddress();
    this.remoteHost = remote == null ? "unknown" : remote.getAddress().getHostAddress();
    context.counters().connections.incrementAndGet();
  }

  /** Starts to read. The listener hears of the end in any case. */
  void open() {
    channel.closeFuture().addListener(closed -> context.loop().lane().execute(this::end));
    try {
      SocketSettings.apply(context.loop(), channel, context.options().queueBytesMax());
    } catch (ChannelException gone) {
      LOG.debug("{}: {} was gone when it was accepted", context.self(), remoteHost, gone);
      channel.unsafe().closeForcibly();
      return;
    }
    channel.pipeline().addLast(decoder, this);
    var unusedRegistration = context.loop().eventLoop().register(channel);
    long nanos = context.options().helloTimeout().toNanos();
    // Cancelled at the end: else whoever connects and leaves in a loop fills memory with timers.
    helloDue = context.loop().eventLoop().schedule(this::helloIsDue, nanos, TimeUnit.NANOSECONDS);
  }

  private void helloIsDue() {
    if (peer == null && !closing) {
      refuse("silent", "no hello within " + context.options().helloTimeout().toMillis() + " ms");
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext pipeline, Object message) throws BadFrame {
    ByteBuf frame = (ByteBuf) message;
    try {
      if (closing) {
        return;
      }
      if (peer == null) {
        greet(PeerCodec.decodeHello(frame));
      } else {
        deliver(peer, frame);
      }
    } finally {
      frame.release();
    }
  }

  private void greet(Greeting hello) {
    HelloAnswer answer = context.policy().answer(hello);
    ByteBuf frame = PeerCodec.encode(context.loop().allocator(), answer);
    if (answer.refusal() != null) {
      closing = true;
      context.counters().refused.increment();
      String refusal = answer.refusal();
      say(HelloPolicy.isOfStranger(refusal) ? Level.INFO : Level.WARN, "hello", refusal);
      channel.writeAndFlush(frame).addListener(ChannelFutureListener.CLOSE);
      return;
    }
    peer = hello.from();
    withoutAMark = answer.group() == GroupMark.UNKNOWN;
    decoder.frameBytesMax(context.options().frameBytesMax());
    listener.greeted(this, hello);
    var unusedWrite = channel.writeAndFlush(frame);
  }

  private void deliver(NodeId from, ByteBuf frame) throws BadFrame {
    PeerCodec.deliver(frame, context.options().group(), from, context.self(), context.receiver());
    context.counters().received.increment();
  }

  /** Whether the peer was accepted and not told of which group this node is. */
  boolean isWithoutAMark() {
    return withoutAMark;
  }

  /** Closes a connection without a hello, as it waited too long or others want its place. */
  void refuse(String kind, String why) {
    context.counters().refused.increment();
    warn(kind, why);
    close();
  }

  private void warn(String kind, String why) {
    say(Level.WARN, kind, why);
  }

  private void say(Level level, String kind, String why) {
    if (context.warnings().allows(level + " " + remoteHost + " " + kind)) {
      LOG.atLevel(level).log("{} closes a connection from {}: {}", context.self(), remoteHost, why);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext pipeline, Throwable cause) {
    Throwable bad = cause instanceof DecoderException ? cause.getCause() : cause;
    if (bad instanceof BadFrame) {
      if (!closing) {
        context.counters().badBytes.increment();
        String message = bad.getMessage();
        warn("bad bytes", "it sends what is not the protocol: " + message);
      }
    } else if (!(cause instanceof IOException)) {
      context.loop().failed(cause);
    }
    close();
  }

  /** Delivers nothing from now on; the end follows. */
  void close() {
    closing = true;
    var unusedClose = channel.close();
  }

  /** Ends now, and tells of it if this was the way of a peer. Happens once. */
  void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (helloDue != null) {
      helloDue.cancel(false);
    }
    context.counters().connections.decrementAndGet();
    close();
    listener.ended(this, peer);
  }
}
