package io.kvorum.bench.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The values of a load. Each says which key it belongs to and which write of that key it is, and
 * goes on with bytes that follow from these two and do not compress: so a value that comes back is
 * known to be the right one, whole.
 *
 * <p>Layout, big-endian: key number, 4 bytes; sequence number of the write, 8 bytes; filler.
 */
public final class Values {
  /** The shortest value that has room for what it says. */
  public static final int BYTES_MIN = Integer.BYTES + Long.BYTES;

  private final int valueBytes;

  /**
   * @param valueBytes of each value, at least {@link #BYTES_MIN}
   */
  public Values(int valueBytes) {
    if (valueBytes < BYTES_MIN) {
      throw new IllegalArgumentException("a value has at least " + BYTES_MIN + " bytes");
    }
    this.valueBytes = valueBytes;
  }

  /** The value that the write with this number gives the key. */
  public byte[] encode(Key key, long sequence) {
    byte[] value = new byte[valueBytes];
    ByteBuffer buffer = ByteBuffer.wrap(value).putInt(key.number()).putLong(sequence);
    SplittableRandom filler = new SplittableRandom(sequence * 31 + key.number());
    while (buffer.remaining() >= Long.BYTES) {
      buffer.putLong(filler.nextLong());
    }
    while (buffer.hasRemaining()) {
      buffer.put((byte) filler.nextInt());
    }
    return value;
  }

  /**
   * Which write of the key has given it the value.
   *
   * @throws WrongValueException if none can have
   */
  public long sequence(Key key, byte @Nullable [] value) {
    if (value == null || value.length != valueBytes) {
      String what = value == null ? "nothing" : value.length + " bytes";
      throw new WrongValueException(key + " holds " + what + ", not " + valueBytes + " bytes");
    }
    long sequence = ByteBuffer.wrap(value).getLong(Integer.BYTES);
    if (!Arrays.equals(value, encode(key, sequence))) {
      throw new WrongValueException(key + " holds what nobody has written to it");
    }
    return sequence;
  }
}
