package io.kvorum.node.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts what comes in into frames (see {@code peer.proto}), handed on without their first length
 * field. Both lengths are checked as soon as they are there; memory grows with the bytes that
 * arrive, never by what a length claims (FAULTS F168).
 */
final class FrameDecoder extends ByteToMessageDecoder {
  private int frameBytesMax;

  /**
   * A decoder of frames.
   *
   * @param frameBytesMax the largest value of a frame's length field
   */
  FrameDecoder(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  /** From the next frame on. */
  void frameBytesMax(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> frames)
      throws BadFrame {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    long length = in.getUnsignedIntLE(in.readerIndex());
    if (length < Integer.BYTES || length > frameBytesMax) {
      throw new BadFrame(
          "a frame of " + length + " bytes; allowed are 4 to " + frameBytesMax + " here");
    }
    if (in.readableBytes() < 2 * Integer.BYTES) {
      return;
    }
    long headerLength = in.getUnsignedIntLE(in.readerIndex() + Integer.BYTES);
    if (headerLength > Math.min(length - Integer.BYTES, PeerCodec.HEADER_BYTES_MAX)) {
      throw new BadFrame("a header of " + headerLength + " bytes in a frame of " + length);
    }
    if (in.readableBytes() < Integer.BYTES + length) {
      return;
    }
    in.skipBytes(Integer.BYTES);
    frames.add(in.readRetainedSlice((int) length));
  }
}
