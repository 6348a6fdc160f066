package io.kvorum.server.store;

import java.nio.ByteBuffer;

/**
 * What a snapshot's manifest says of the state in it beyond its place in the log. Big-endian:
 *
 * <pre>u16 format version, 1 | u64 revision | u128 state hash</pre>
 */
public record SnapshotAbout(long revision, StateHash hash) {
  private static final short FORMAT_VERSION = 1;
  private static final int BYTES = Short.BYTES + Long.BYTES + StateHash.BYTES;

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).putShort(FORMAT_VERSION).putLong(revision);
    hash.write(out);
    return out.array();
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalStateException if it was another version
   */
  public static SnapshotAbout decode(byte[] about) {
    ByteBuffer in = ByteBuffer.wrap(about);
    short format = about.length < Short.BYTES ? 0 : in.getShort();
    if (format != FORMAT_VERSION || about.length != BYTES) {
      throw new IllegalStateException(
          "a snapshot's manifest speaks of its state in format "
              + format
              + ", in "
              + about.length
              + " bytes; this version of Kvorum reads format "
              + FORMAT_VERSION);
    }
    return new SnapshotAbout(in.getLong(), StateHash.read(in));
  }
}
