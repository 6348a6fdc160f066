package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@link Table#LATEST}: the newest version of a key, or its deletion. Big-endian:
 *
 * <pre>u8 flags | u64 modRevision | u16 modSub | u64 createRevision | u64 version | u64 lease
 * | value when flag 2 is set; u32 length of the value, 16 bytes of digest when flag 8 is</pre>
 *
 * <p>Flag 1: a tombstone, whose createRevision, version and lease are 0. Flag 2: the value stands
 * here. Flag 8: it stands only in the row (modRevision, modSub) of {@link Table#REV}, and here are
 * its length and digest. It stands here when it has at most {@value #INLINE_BYTES_MAX} bytes. A
 * store of format 5 has flag 4 in place of 8, and no length; one of format 4 has neither.
 *
 * @param modSub the position inside modRevision, 0 to 65535
 * @param value null: not here (or a tombstone)
 * @param large what stands for a value that is not here; null also in a store before format 6
 */
record LatestRow(
    long modRevision,
    int modSub,
    long createRevision,
    long version,
    long lease,
    boolean tombstone,
    @Nullable Bytes value,
    @Nullable Large large) {
  static final int INLINE_BYTES_MAX = 1024;

  private static final int TOMBSTONE = 1;
  private static final int INLINE = 2;
  private static final int LARGE = 8;
  private static final int FIXED_BYTES = 1 + 8 + 2 + 8 + 8 + 8;

  /** A value that is too large to stand in a row: how long it is, and its digest. */
  record Large(int bytes, StateHash digest) {
    static final int ENCODED_BYTES = Integer.BYTES + StateHash.BYTES;
  }

  /** A row with its value, or a tombstone. */
  LatestRow(
      long modRevision,
      int modSub,
      long createRevision,
      long version,
      long lease,
      boolean tombstone,
      @Nullable Bytes value) {
    this(modRevision, modSub, createRevision, version, lease, tombstone, value, null);
  }

  /** The row of a key deleted at this place. */
  static LatestRow deleted(long revision, int sub) {
    return new LatestRow(revision, sub, 0, 0, 0, true, null);
  }

  /**
   * The row of a key put at this place.
   *
   * @param before its newest row, if there is any
   */
  static LatestRow put(
      @Nullable LatestRow before, long revision, int sub, long lease, Bytes value) {
    // A deleted key begins anew, but its history still leads back through the deletion.
    if (before == null || before.tombstone) {
      return new LatestRow(revision, sub, revision, 1, lease, false, value);
    }
    return new LatestRow(
        revision, sub, before.createRevision, before.version + 1, lease, false, value);
  }

  static LatestRow decode(byte[] row) {
    ByteBuffer in = ByteBuffer.wrap(row);
    int flags = in.get();
    long modRevision = in.getLong();
    int modSub = Short.toUnsignedInt(in.getShort());
    long createRevision = in.getLong();
    long version = in.getLong();
    long lease = in.getLong();
    Bytes value = (flags & INLINE) == 0 ? null : Bytes.copyOf(in);
    Large large = (flags & LARGE) == 0 ? null : new Large(in.getInt(), StateHash.read(in));
    boolean tombstone = (flags & TOMBSTONE) != 0;
    return new LatestRow(
        modRevision, modSub, createRevision, version, lease, tombstone, value, large);
  }

  /** Whether an encoded row is a tombstone. */
  static boolean isTombstone(byte[] row) {
    return (row[0] & TOMBSTONE) != 0;
  }

  byte[] encode() {
    LatestRow stored = withoutLargeValue();
    Bytes inline = stored.value;
    Large itsLarge = stored.large;
    int valueBytes = inline == null ? 0 : inline.size();
    ByteBuffer out =
        ByteBuffer.allocate(
            FIXED_BYTES + valueBytes + (itsLarge == null ? 0 : Large.ENCODED_BYTES));
    int flags = (tombstone ? TOMBSTONE : 0) | (inline == null ? 0 : INLINE);
    out.put((byte) (flags | (itsLarge == null ? 0 : LARGE)));
    out.putLong(modRevision).putShort((short) modSub);
    out.putLong(createRevision).putLong(version).putLong(lease);
    if (inline != null) {
      out.put(inline.arrayUnsafe());
    }
    if (itsLarge != null) {
      out.putInt(itsLarge.bytes());
      itsLarge.digest().write(out);
    }
    return out.array();
  }

  /** The row as it is after a trip to the table. */
  LatestRow withoutLargeValue() {
    if (value == null || value.size() <= INLINE_BYTES_MAX) {
      return this;
    }
    Large itsLarge = new Large(value.size(), StateHash.of(value.arrayUnsafe(), StateHash.ZERO));
    return new LatestRow(
        modRevision, modSub, createRevision, version, lease, tombstone, null, itsLarge);
  }

  /** How long the value is, here or not; not for a tombstone. */
  int valueBytes() {
    if (value != null) {
      return value.size();
    }
    if (large == null) {
      throw new InvariantViolation("a row says how long its value is");
    }
    return large.bytes();
  }

  /** The row with its value at hand. */
  LatestRow withValue(Bytes itsValue) {
    return new LatestRow(modRevision, modSub, createRevision, version, lease, tombstone, itsValue);
  }

  /** The key with this version; not for a tombstone. */
  KeyValue keyValue(Bytes key, Bytes itsValue) {
    return new KeyValue(key, itsValue, createRevision, modRevision, version, lease);
  }
}
