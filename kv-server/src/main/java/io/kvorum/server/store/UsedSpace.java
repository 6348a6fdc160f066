package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.raft.InvariantViolation;
import org.jspecify.annotations.Nullable;

/**
 * Counts {@link Space} as rows come and go: each place that changes a row on the heap tells it, in
 * the same breath. Used by the apply lane only.
 *
 * <p>How a compaction is counted without a look at history: each event stands in {@link Table#REV}
 * with the bytes that were superseded before it, so the difference between two revisions is what
 * compaction from one to the other gives up.
 */
final class UsedSpace {
  private long used;
  private long superseded;
  private long reclaimed;

  /**
   * @param found what the tables say
   */
  UsedSpace(Space found) {
    used = found.usedBytes();
    superseded = found.supersededBytes();
    reclaimed = found.reclaimedBytes();
  }

  /** Of all versions that others have replaced so far, and of all deletions. */
  long supersededBytes() {
    return superseded;
  }

  /** A key has changed. What it replaces is kept until compaction passes this change. */
  void changed(Bytes key, LatestRow now, @Nullable LatestRow before) {
    long bytes = Space.ofVersion(key, now);
    used += bytes;
    superseded += superseding(key, now, before);
  }

  /** What compaction gives up when it passes a change of a key. */
  static long superseding(Bytes key, LatestRow now, @Nullable LatestRow before) {
    long replaced = before == null || before.tombstone() ? 0 : Space.ofVersion(key, before);
    return now.tombstone() ? replaced + Space.ofVersion(key, now) : replaced;
  }

  /** Something else takes so many bytes more, or fewer. */
  void add(long bytes) {
    used += bytes;
  }

  /**
   * Compaction has passed a revision.
   *
   * @param supersededThen what was superseded up to that revision, it included
   */
  void compacted(long supersededThen) {
    InvariantViolation.check(
        supersededThen >= reclaimed && supersededThen <= superseded, "compaction goes forward");
    used -= supersededThen - reclaimed;
    reclaimed = supersededThen;
  }

  /** As it is now, with the quota and the alarm of before. */
  Space in(Space before) {
    boolean isSame =
        before.usedBytes() == used
            && before.supersededBytes() == superseded
            && before.reclaimedBytes() == reclaimed;
    return isSame
        ? before
        : new Space(before.quotaBytes(), used, superseded, reclaimed, before.alarm());
  }
}
