package io.kvorum.client.netty;

import com.google.protobuf.CodedOutputStream;
import io.kvorum.client.port.Connection;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection on a Netty channel.
 *
 * <p>Frames of one turn of the loop are written into one buffer and flushed by a task at the end of
 * the turn: a system call for each frame would cost ten times what a frame costs.
 */
final class NettyConnection implements Connection {
  private static final int BUFFER_BYTES = 64 << 10;

  private final EventLoop eventLoop;
  private final Listener listener;
  private @Nullable ChannelFuture attempt;
  private @Nullable Channel channel;
  private @Nullable ByteBuf unflushed;
  private boolean flushScheduled;
  private boolean closed;

  NettyConnection(EventLoop eventLoop, Listener listener) {
    this.eventLoop = eventLoop;
    this.listener = listener;
  }

  boolean isClosed() {
    return closed;
  }

  /** The attempt to connect is under way. */
  void attempted(ChannelFuture connecting) {
    attempt = connecting;
    connecting.addListener(
        done -> {
          Throwable failure = connecting.cause();
          if (failure != null) {
            ended(String.valueOf(failure.getMessage()), failure instanceof ConnectTimeoutException);
          } else if (!closed) {
            channel = connecting.channel();
            listener.opened();
          } else {
            var unused = connecting.channel().close();
          }
        });
  }

  @Override
  public void send(ClientFrame frame) {
    Channel open = channel;
    if (closed || open == null) {
      return;
    }
    int size = frame.getSerializedSize();
    int needed = ProtocolLimits.FRAME_PREFIX_BYTES + size;
    ByteBuf buffer = unflushed;
    if (buffer == null || buffer.maxFastWritableBytes() < needed) {
      writeOut(open);
      buffer = open.alloc().directBuffer(Math.max(BUFFER_BYTES, needed));
      unflushed = buffer;
    }
    buffer.ensureWritable(needed);
    int start = buffer.writerIndex();
    buffer.writeInt(size);
    CodedOutputStream output =
        CodedOutputStream.newInstance(
            buffer.nioBuffer(start + ProtocolLimits.FRAME_PREFIX_BYTES, size));
    try {
      frame.writeTo(output);
      output.flush();
      output.checkNoSpaceLeft();
    } catch (IOException wrongSize) {
      throw new UncheckedIOException("a frame does not have the size it says", wrongSize);
    }
    buffer.writerIndex(start + needed);
    if (!flushScheduled) {
      flushScheduled = true;
      eventLoop.execute(this::flush);
    }
  }

  private void flush() {
    flushScheduled = false;
    Channel open = channel;
    if (!closed && open != null) {
      writeOut(open);
      open.flush();
    }
  }

  private void writeOut(Channel open) {
    ByteBuf buffer = unflushed;
    if (buffer != null) {
      unflushed = null;
      var unused = open.write(buffer, open.voidPromise());
    }
  }

  @Override
  public boolean isWritable() {
    Channel open = channel;
    return !closed && open != null && open.isWritable();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    ByteBuf buffer = unflushed;
    if (buffer != null) {
      unflushed = null;
      buffer.release();
    }
    if (attempt != null) {
      var unused = attempt.channel().close();
    }
  }

  /** A frame arrived whole. */
  void received(ServerFrame frame) {
    if (!closed) {
      listener.received(frame);
    }
  }

  /** The channel may take more, or not. */
  void writabilityChanged() {
    if (isWritable()) {
      listener.writable();
    }
  }

  /** Closes, and tells the listener unless it closed itself. */
  void ended(String reason, boolean timedOut) {
    if (!closed) {
      close();
      listener.closed(reason, timedOut);
    }
  }
}
