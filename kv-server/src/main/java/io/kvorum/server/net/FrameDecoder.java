package io.kvorum.server.net;

import com.google.protobuf.CodedInputStream;
import io.kvorum.protocol.ClientFrame;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.io.IOException;
import java.util.List;

/**
 * Cuts the stream into {@link ClientFrame}s. A length is checked before a byte is reserved for it,
 * and until the client has said hello only small frames are taken (FAULTS F168).
 */
final class FrameDecoder extends ByteToMessageDecoder {
  /** Enough for a hello. */
  private static final int GREETING_BYTES_MAX = 4 << 10;

  private static final int NESTING_MAX = 16;

  private final int frameBytesMax;
  private boolean greeted;
  private boolean broken;

  FrameDecoder(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  /** From now on frames may be as long as the protocol allows. */
  void greeted() {
    greeted = true;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws IOException {
    if (broken) {
      // Netty asks once more for what is left when the connection closes.
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    int most = greeted ? frameBytesMax : GREETING_BYTES_MAX;
    if (length < 1 || length > most) {
      broken = true;
      throw new CorruptedFrameException(
          "a frame of " + Integer.toUnsignedString(length) + " bytes; allowed are 1 to " + most);
    }
    if (in.readableBytes() - Integer.BYTES < length) {
      return;
    }
    in.skipBytes(Integer.BYTES);
    CodedInputStream body = CodedInputStream.newInstance(in.nioBuffer(in.readerIndex(), length));
    body.setRecursionLimit(NESTING_MAX);
    ClientFrame frame = ClientFrame.parseFrom(body);
    in.skipBytes(length);
    out.add(frame);
  }
}
