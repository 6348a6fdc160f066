package io.kvorum.client.netty;

import com.google.protobuf.CodedInputStream;
import io.kvorum.protocol.ProtocolLimits;
import io.kvorum.protocol.ServerFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts what arrives into frames and parses them.
 *
 * <p>The buffer grows with what has arrived, never by a length that was announced. Bytes that are
 * no frame end the connection (FAULTS F168).
 */
final class FrameReader extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(FrameReader.class);

  private final NettyConnection connection;

  FrameReader(NettyConnection connection) {
    this.connection = connection;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (connection.isClosed()) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < ProtocolLimits.FRAME_PREFIX_BYTES) {
      return;
    }
    long length = in.getUnsignedInt(in.readerIndex());
    if (length > ProtocolLimits.FRAME_BYTES_MAX) {
      bad(context, in, "a frame of " + length + " bytes, more than the protocol allows");
      return;
    }
    int size = (int) length;
    if (in.readableBytes() - ProtocolLimits.FRAME_PREFIX_BYTES < size) {
      return;
    }
    int start = in.readerIndex() + ProtocolLimits.FRAME_PREFIX_BYTES;
    ServerFrame frame;
    try {
      CodedInputStream input = CodedInputStream.newInstance(in.nioBuffer(start, size));
      frame = ServerFrame.parseFrom(input);
      input.checkLastTagWas(0);
    } catch (IOException undecodable) {
      bad(context, in, "bytes that are no frame (" + undecodable.getMessage() + ")");
      return;
    }
    in.readerIndex(start + size);
    connection.received(frame);
  }

  private void bad(ChannelHandlerContext context, ByteBuf in, String what) {
    LOG.warn("{} sent {}; closing the connection", context.channel().remoteAddress(), what);
    in.skipBytes(in.readableBytes());
    connection.ended("sent " + what, false);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    super.channelInactive(context);
    connection.ended("the connection was closed", false);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    connection.writabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      // A bug of ours met while handling a frame: the connection cannot be trusted any more.
      LOG.warn("unexpected failure on a connection; closing it", cause);
    }
    connection.ended(String.valueOf(cause.getMessage()), false);
  }
}
