package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException.Reason;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How much room a store takes, and how much it may take: replicated state, the same on every member
 * behind the same entry (docs/adr/0018).
 *
 * <p>What counts is what the log says must be kept, not what a disk happens to hold: every version
 * of a key that can be read at the compact revision or later, once; leases, and the keys that hang
 * on them; results that are kept for commands that may come again. A compaction makes room the
 * moment it is applied, whenever each member then removes the rows.
 *
 * <p>In the row {@code state}, big-endian:
 *
 * <pre>u64 quotaBytes | u64 usedBytes
 * | u64 supersededBytes | u64 reclaimedBytes | u8 alarm</pre>
 *
 * @param quotaBytes the most that commands which grow may fill; 0: no limit
 * @param usedBytes what is kept; may exceed the quota: what makes room writes, too, and is never
 *     refused
 * @param supersededBytes of all versions that others have replaced, and of all deletions, since the
 *     count began; never falls
 * @param reclaimedBytes of these, what compaction has given up
 * @param alarm whether the store is full: see {@link #settled}
 */
public record Space(
    long quotaBytes, long usedBytes, long supersededBytes, long reclaimedBytes, boolean alarm) {
  /** Of a store in which nothing is. */
  public static final Space EMPTY = new Space(0, 0, 0, 0, false);

  /** Nobody has counted: a state of a format before 6. */
  static final Space UNCOUNTED = new Space(0, -1, 0, 0, false);

  /** The largest quota. */
  public static final long QUOTA_BYTES_MAX = 1L << 50;

  /** What a version of a key, or its deletion, counts beside key and value. */
  static final int VERSION_BYTES = 96;

  /** What a lease counts; also that of a session, or of an idempotency key. */
  static final int LEASE_BYTES = 64;

  /** What a key that hangs on a lease counts beside its own length. */
  static final int ATTACHED_BYTES = 32;

  /** How long it is in the row. */
  static final int BYTES = 4 * Long.BYTES + 1;

  private static final int HASHED_BYTES = 3 * Long.BYTES + 1;

  /** What a version of a key counts, or its deletion. */
  static long ofVersion(Bytes key, LatestRow row) {
    return ofVersion(key.size(), row.tombstone() ? 0 : row.valueBytes());
  }

  /** What a version of a key of that length counts; a deletion has no value. */
  static long ofVersion(int keyBytes, int valueBytes) {
    return (long) VERSION_BYTES + keyBytes + valueBytes;
  }

  /** What it counts that a key of that length hangs on a lease. */
  static long ofAttached(int keyBytes) {
    return (long) ATTACHED_BYTES + keyBytes;
  }

  /** What a put takes at least, whatever key it changes, and whatever lease it takes that off. */
  public static long ofPutAtLeast(int valueBytes) {
    return (long) VERSION_BYTES - ATTACHED_BYTES + valueBytes;
  }

  /** What a lease takes. */
  public static long ofLease() {
    return LEASE_BYTES;
  }

  boolean isCounted() {
    return usedBytes >= 0;
  }

  /** What a compaction up to now would give back. */
  public long reclaimableBytes() {
    return supersededBytes - reclaimedBytes;
  }

  /** Why a command that takes so many bytes more is not executed, or null. */
  public @Nullable Refusal refuse(long moreBytes) {
    if (quotaBytes == 0 || usedBytes + moreBytes <= quotaBytes) {
      return null;
    }
    return new Refusal(
        Reason.SPACE_EXCEEDED,
        "the store is full: "
            + usedBytes
            + " of the "
            + quotaBytes
            + " bytes of its quota are used, and this takes "
            + moreBytes
            + " more. Reads, deletes, compaction and the ends and renewals of leases go on, and a"
            + " compaction now would give back "
            + reclaimableBytes()
            + "; nothing was changed");
  }

  /**
   * After an entry. The alarm is raised when the quota is reached, or when a command was refused
   * for it while more than 95 % were used: one that is too large for a store with room is its own
   * affair. It ends as soon as no more than 95 % are used, however that came about.
   *
   * @param refused whether the entry was refused for lack of room
   */
  Space settled(boolean refused) {
    boolean isClose = quotaBytes != 0 && usedBytes > calmBytes();
    boolean isFull = isClose && (alarm || refused || usedBytes >= quotaBytes);
    return isFull == alarm
        ? this
        : new Space(quotaBytes, usedBytes, supersededBytes, reclaimedBytes, isFull);
  }

  /** The most that is used without the alarm: 95 % of the quota. */
  public long calmBytes() {
    return quotaBytes - quotaBytes / 20;
  }

  Space withQuota(long bytes) {
    return new Space(bytes, usedBytes, supersededBytes, reclaimedBytes, alarm);
  }

  static Space read(ByteBuffer in) {
    return new Space(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.get() != 0);
  }

  void write(ByteBuffer out) {
    out.putLong(quotaBytes).putLong(usedBytes).putLong(supersededBytes).putLong(reclaimedBytes);
    out.put((byte) (alarm ? 1 : 0));
  }

  /**
   * What of it is in the hash of the state. Not the two sums themselves: where a member that was
   * upgraded began to count, another one may have compacted more already.
   */
  byte[] hashed() {
    return ByteBuffer.allocate(HASHED_BYTES)
        .putLong(quotaBytes)
        .putLong(usedBytes)
        .putLong(reclaimableBytes())
        .put((byte) (alarm ? 1 : 0))
        .array();
  }
}
