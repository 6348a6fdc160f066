package io.kvorum.server.store;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A row of {@link Table#LEASE} whose key is only an id: a lease. Big-endian:
 *
 * <pre>u64 ttlMillis | u64 renewedIndex | u64 remainingMillis | u8 kind</pre>
 *
 * <p>The id is 8 bytes, two's complement. A key that hangs on the lease has a row of its own there,
 * without content: the id, then the key.
 *
 * @param ttlMillis how long it lives without being renewed
 * @param renewedIndex of the entry that granted it or renewed it last; so no two leases that ever
 *     had the same id, and no two renewals of one, have the same
 * @param remainingMillis what a leader has written down of its time since then; at first all
 * @param kind what it is for
 */
public record LeaseRow(long ttlMillis, long renewedIndex, long remainingMillis, LeaseKind kind) {
  private static final int BYTES = 3 * Long.BYTES + 1;

  /** A lease that somebody has asked for. */
  public LeaseRow(long ttlMillis, long renewedIndex, long remainingMillis) {
    this(ttlMillis, renewedIndex, remainingMillis, LeaseKind.USER);
  }

  /** A lease that was granted by the entry of this index. */
  static LeaseRow granted(long ttlMillis, long index, LeaseKind kind) {
    return new LeaseRow(ttlMillis, index, ttlMillis, kind);
  }

  /** Its time begins anew with the entry of this index. */
  LeaseRow renewed(long index) {
    return new LeaseRow(ttlMillis, index, ttlMillis, kind);
  }

  /** With less of its time left; never with more. */
  public LeaseRow checkpoint(long millis) {
    return new LeaseRow(ttlMillis, renewedIndex, Math.min(remainingMillis, millis), kind);
  }

  /** An id as people read and write it, the command line too: 16 hexadecimal digits. */
  static String text(long id) {
    return HexFormat.of().toHexDigits(id);
  }

  /** The key of a lease. */
  static byte[] key(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  /** The key of a key that hangs on a lease. */
  static byte[] key(long id, byte[] attached) {
    return ByteBuffer.allocate(Long.BYTES + attached.length).putLong(id).put(attached).array();
  }

  static LeaseRow decode(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    return new LeaseRow(in.getLong(), in.getLong(), in.getLong(), LeaseKind.ofCode(in.get()));
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .putLong(ttlMillis)
        .putLong(renewedIndex)
        .putLong(remainingMillis)
        .put(kind.code())
        .array();
  }
}
