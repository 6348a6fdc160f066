package io.kvorum.api;

/**
 * How much room a store takes, and how much it may take; the same on every member that has applied
 * the same. Counted is what must be kept, not what a disk holds of it.
 *
 * @param usedBytes of keys, values and their history, leases, and results that are kept; may exceed
 *     the quota, since what makes room writes, too, and is never refused
 * @param quotaBytes beyond which nothing that grows is executed; 0: no limit
 * @param reclaimableBytes what a compaction now would give back
 * @param full the alarm: raised when the quota is reached or a write was refused for it; it ends by
 *     itself when no more than 95 % of the quota are used
 */
public record SpaceUse(long usedBytes, long quotaBytes, long reclaimableBytes, boolean full) {
  /** Of a store in which nothing is. */
  public static final SpaceUse EMPTY = new SpaceUse(0, 0, 0, false);
}
