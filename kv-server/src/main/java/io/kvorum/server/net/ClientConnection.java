package io.kvorum.server.net;

import com.google.protobuf.CodedOutputStream;
import io.kvorum.protocol.ClientFrame;
import io.kvorum.protocol.ServerFrame;
import io.kvorum.server.watch.FrameSink;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection. Answers of one turn of the loop leave in one flush. A client that asks
 * for more than it takes, or has more under way than one connection may, is not read from until it
 * has caught up: so it costs bounded memory (FAULTS F149, F155).
 */
final class ClientConnection extends SimpleChannelInboundHandler<ClientFrame> {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private static final int REQUESTS_MAX = 16_384;
  private static final long REQUEST_BYTES_MAX = 32L << 20;
  private static final long GREETING_SECONDS_MAX = 5;

  private final ClientPort port;
  private final FrameDecoder decoder;
  private final Channel channel;
  private final EndpointNews news;
  private final ClientSession session;
  private int requests;
  private long requestBytes;
  private boolean greeted;
  private boolean flushQueued;
  private @Nullable Future<?> greetingTimeout;

  ClientConnection(ClientPort port, FrameDecoder decoder, Channel channel) {
    this.port = port;
    this.decoder = decoder;
    this.channel = channel;
    this.news = new EndpointNews(port.handler());
    this.session = new ClientSession(port.handler(), new Pushed());
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (!port.opened(channel)) {
      close();
      return;
    }
    greetingTimeout =
        channel.eventLoop().schedule(this::closeUngreeted, GREETING_SECONDS_MAX, TimeUnit.SECONDS);
  }

  private void closeUngreeted() {
    if (!greeted) {
      port.bad(channel, "no hello within " + GREETING_SECONDS_MAX + " s");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    port.closed(channel);
    session.close();
    if (greetingTimeout != null) {
      greetingTimeout.cancel(false);
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ClientFrame request) {
    if (!greeted && !request.hasHello()) {
      port.bad(channel, "the first frame was no hello");
      return;
    }
    if (ClientSession.isAboutWatches(request)) {
      session.handle(request, answer -> {});
      return;
    }
    int bytes = request.getSerializedSize();
    requests++;
    requestBytes += bytes;
    throttle();
    session.handle(
        request,
        answer -> {
          requests--;
          requestBytes -= bytes;
          answer(request, answer);
        });
  }

  private void answer(ClientFrame request, ServerFrame answer) {
    if (!channel.isActive()) {
      return;
    }
    write(answer);
    if (request.hasHello() && answer.hasHello()) {
      greeted = true;
      decoder.greeted();
    } else if (!greeted) {
      // The greeting was refused, and the answer says why.
      flush();
      close();
    }
    throttle();
  }

  private void write(ServerFrame frame) {
    var unused = channel.write(encode(news.addTo(frame)), channel.voidPromise());
    if (!flushQueued) {
      flushQueued = true;
      channel.eventLoop().execute(this::flush);
    }
  }

  /** The rest happens when the channel is inactive. */
  private void close() {
    var unused = channel.close();
  }

  private void flush() {
    flushQueued = false;
    channel.flush();
  }

  private ByteBuf encode(ServerFrame answer) {
    int length = answer.getSerializedSize();
    ByteBuf frame = channel.alloc().directBuffer(Integer.BYTES + length);
    frame.writeInt(length);
    CodedOutputStream body = CodedOutputStream.newInstance(frame.nioBuffer(Integer.BYTES, length));
    try {
      answer.writeTo(body);
      body.flush();
    } catch (IOException shortBuffer) {
      frame.release();
      throw new UncheckedIOException("an answer outgrew its own size", shortBuffer);
    }
    return frame.writerIndex(Integer.BYTES + length);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    throttle();
    session.writable();
  }

  private void throttle() {
    boolean read =
        channel.isWritable() && requests < REQUESTS_MAX && requestBytes < REQUEST_BYTES_MAX;
    if (channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof DecoderException || cause.getCause() instanceof DecoderException) {
      port.bad(channel, String.valueOf(cause.getMessage()));
    } else if (cause instanceof IOException) {
      // The client is gone: as common as it is harmless.
      LOG.debug("connection of {} broke: {}", channel.remoteAddress(), cause.toString());
      close();
    } else {
      port.failed(cause);
      close();
    }
  }

  /** Where watches send what nobody asked for. */
  private final class Pushed implements FrameSink {
    @Override
    public void push(ServerFrame frame) {
      if (channel.isActive()) {
        write(frame);
        throttle();
      }
    }

    @Override
    public boolean isWritable() {
      return channel.isWritable();
    }
  }
}
