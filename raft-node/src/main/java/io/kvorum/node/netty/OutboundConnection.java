package io.kvorum.node.netty;

import io.kvorum.node.Features;
import io.kvorum.raft.NodeId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a peer, from the attempt to its end. All that belongs to it ends with it: what
 * happens late on an old connection cannot touch the next one (FAULTS F151).
 */
final class OutboundConnection extends ChannelInboundHandlerAdapter {
  /** Small messages are dropped beyond this many times the limit of the others (FAULTS F153). */
  private static final int SMALL_ALLOWANCE = 4;

  private enum Phase {
    CONNECTING,
    GREETING,
    READY,
    CLOSING,
    ENDED
  }

  private final TransportContext context;
  private final PeerLink link;
  private final SocketChannel channel;
  private Phase phase = Phase.CONNECTING;
  private boolean established;
  private long establishedNanos;
  private int waitingMessages;
  private long waitingBytes;
  private boolean unflushed;
  private Features features = Features.NONE;

  /**
   * A connection that is not yet attempted.
   *
   * @throws io.netty.channel.ChannelException if there is no socket to be had
   */
  OutboundConnection(TransportContext context, PeerLink link) {
    this.context = context;
    this.link = link;
    this.channel = context.loop().newSocketChannel();
    SocketSettings.apply(context.loop(), channel, context.options().queueBytesMax());
    context.counters().connections.incrementAndGet();
  }

  private NodeId peer() {
    return link.peer();
  }

  /** Starts to connect. The link hears of the end in any case, and not before this returned. */
  void open(InetSocketAddress address) {
    channel.pipeline().addLast(new FrameDecoder(PeerCodec.HELLO_FRAME_BYTES_MAX), this);
    channel.closeFuture().addListener(closed -> context.loop().lane().execute(() -> end(null)));
    if (context.loop().eventLoop().register(channel).isSuccess()) {
      channel.connect(address).addListener((ChannelFutureListener) this::connected);
    }
  }

  private void connected(ChannelFuture connect) {
    if (!connect.isSuccess()) {
      context.loop().lane().execute(() -> end(connect.cause()));
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext pipeline) {
    phase = Phase.GREETING;
    ByteBuf hello = PeerCodec.encode(context.loop().allocator(), context.policy().greeting(peer()));
    var unusedWrite = channel.writeAndFlush(hello);
    long nanos = context.options().helloTimeout().toNanos();
    context.loop().lane().schedule(this::answerIsDue, nanos);
  }

  private void answerIsDue() {
    if (phase == Phase.GREETING) {
      context.counters().refused.increment();
      closeFor("silent", "it does not answer the hello");
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext pipeline, Object message) throws BadFrame {
    ByteBuf frame = (ByteBuf) message;
    try {
      if (phase == Phase.GREETING) {
        answered(PeerCodec.decodeAnswer(frame));
      } else if (phase == Phase.READY) {
        throw new BadFrame("more than the answer to the hello");
      }
    } finally {
      frame.release();
    }
  }

  private void answered(HelloAnswer answer) {
    context.policy().answered(peer(), answer);
    String refusal = answer.refusal();
    if (refusal != null) {
      context.counters().refused.increment();
      refused(refusal);
      return;
    }
    String lack = context.policy().lack(peer(), answer.features());
    if (lack != null) {
      context.counters().refused.increment();
      closeFor("lacks a feature", lack);
      return;
    }
    phase = Phase.READY;
    features = answer.features();
    established = true;
    establishedNanos = context.clock().nanoTime();
    link.connected();
    // What was queued since the connection was made may go now.
    flush();
  }

  /** Whether a message of this size class would be queued now. */
  boolean admits(boolean small) {
    if (phase != Phase.GREETING && phase != Phase.READY) {
      return false;
    }
    TransportOptions options = context.options();
    long allowance = small ? SMALL_ALLOWANCE : 1;
    return waitingMessages < allowance * options.queueMessagesMax()
        && waitingBytes < allowance * options.queueBytesMax()
        && (small || channel.isWritable());
  }

  /** Whether the peer has accepted the hello, and so has said what it takes. */
  boolean isReady() {
    return phase == Phase.READY;
  }

  /** What the peer has announced; null before it has accepted the hello. */
  @Nullable Features features() {
    return isReady() ? features : null;
  }

  /** Queues a frame, whose buffers are released in any case. */
  void write(ByteBuf head, @Nullable ByteBuf payload) {
    int bytes = head.readableBytes() + (payload == null ? 0 : payload.readableBytes());
    waitingMessages++;
    waitingBytes += bytes;
    unflushed = true;
    ChannelFuture last = channel.write(head);
    if (payload != null) {
      last = channel.write(payload);
    }
    last.addListener(written -> written(bytes, written.isSuccess()));
  }

  private void written(int bytes, boolean success) {
    waitingMessages--;
    waitingBytes -= bytes;
    (success ? context.counters().sent : context.counters().dropped).increment();
  }

  /** Hands what is queued to the system, once the peer has accepted the hello. */
  void flush() {
    if (unflushed && phase == Phase.READY) {
      unflushed = false;
      channel.flush();
    }
  }

  long waitingBytes() {
    return waitingBytes;
  }

  Channel channel() {
    return channel;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext pipeline, Throwable cause) {
    Throwable bad = cause instanceof DecoderException ? cause.getCause() : cause;
    if (bad instanceof BadFrame) {
      if (phase == Phase.GREETING || phase == Phase.READY) {
        context.counters().badBytes.increment();
        closeFor("bad bytes", "it sends what is not the protocol: " + bad.getMessage());
      }
    } else if (!(cause instanceof IOException)) {
      context.loop().failed(cause);
    }
    var unusedClose = channel.close();
  }

  private void refused(String refusal) {
    String text = "it refuses this node: " + refusal;
    if (HelloPolicy.isOfStranger(refusal)) {
      // This node waits to be added, or the peer has not heard of it yet.
      phase = Phase.CLOSING;
      link.notYet(refusal, text);
      var unusedClose = channel.close();
    } else {
      closeFor(refusal, text);
    }
  }

  private void closeFor(String kind, String why) {
    phase = Phase.CLOSING;
    link.problem(kind, why);
    var unusedClose = channel.close();
  }

  /** Closes at once and tells nobody. */
  void abandon() {
    if (phase != Phase.ENDED) {
      phase = Phase.ENDED;
      context.counters().connections.decrementAndGet();
    }
    var unusedClose = channel.close();
  }

  private void end(@Nullable Throwable cause) {
    if (phase == Phase.ENDED) {
      return;
    }
    if (phase == Phase.GREETING) {
      // A peer that has as many connections as it wants does this, or no peer at all listens there.
      link.problem("closed", "it closes the connection instead of answering the hello");
    }
    long heldNanos = established ? context.clock().nanoTime() - establishedNanos : 0;
    abandon();
    link.ended(this, established, heldNanos, cause);
  }
}
