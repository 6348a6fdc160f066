package io.kvorum.raft;

import org.jspecify.annotations.Nullable;

/** Which snapshot this node can send, and which one it is about to become (§7). */
final class Snapshots {
  private @Nullable SnapshotMeta newest;
  private @Nullable SnapshotMeta installing;
  private boolean isHandedOver;

  /** The driver has made this one, or has installed it, and can send it. */
  void available(SnapshotMeta snapshot) {
    if (newest == null || snapshot.last().index() > newest.last().index()) {
      newest = snapshot;
    }
  }

  /** One behind which the log, which begins after {@code compacted}, can go on; or null. */
  @Nullable SnapshotMeta sendable(EntryId compacted) {
    return newest != null && newest.last().index() >= compacted.index() ? newest : null;
  }

  /** Until then the log and the state machine are about to be replaced, and must not grow. */
  boolean isInstalling() {
    return installing != null;
  }

  void install(SnapshotMeta snapshot) {
    InvariantViolation.check(installing == null, "one snapshot at a time is installed");
    installing = snapshot;
    isHandedOver = false;
  }

  boolean isPending() {
    return installing != null && !isHandedOver;
  }

  /** What to install, once. */
  @Nullable SnapshotMeta take() {
    if (!isPending()) {
      return null;
    }
    isHandedOver = true;
    return installing;
  }

  void finished(SnapshotMeta snapshot) {
    InvariantViolation.check(
        isHandedOver && snapshot.equals(installing), "only what was handed over is installed");
    installing = null;
    isHandedOver = false;
  }
}
