package io.kvorum.bench.peer.ratis;

import java.nio.ByteBuffer;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * What clients ask the map for.
 *
 * <p>A get is the key. A put is the key and the value; a compare and set the key, the expected
 * value and the value; before each part its length, 4 bytes, big-endian.
 */
final class RatisMessage {
  /** The answer that a change was made. */
  static final ByteString DONE = ByteString.copyFrom(new byte[] {1});

  /** The answer that it was not, since the key holds something else. */
  static final ByteString NOT_DONE = ByteString.copyFrom(new byte[] {0});

  private RatisMessage() {}

  /** These parts as one message. */
  static Message of(byte[]... parts) {
    int bytes = 0;
    for (byte[] part : parts) {
      bytes += Integer.BYTES + part.length;
    }
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    for (byte[] part : parts) {
      buffer.putInt(part.length).put(part);
    }
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(buffer.array()));
  }

  /** The next part, without its length. */
  static ByteString next(ByteBuffer message) {
    byte[] part = new byte[message.getInt()];
    message.get(part);
    return UnsafeByteOperations.unsafeWrap(part);
  }
}
