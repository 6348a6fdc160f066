package io.kvorum.raft;

/**
 * The sending of snapshots to one follower: one at a time, and after each a pause, longer each
 * time, so that a follower that cannot use them costs little (FAULTS F066).
 */
final class SnapshotTransfer {
  private static final int DOUBLINGS_MAX = 2;

  /** To install one takes longer than to find out that one cannot be sent. */
  private static final int INSTALL_PAUSES = 4;

  private final int pauseTicks;
  private long index;
  private int attempts;
  private int ticksLeft;
  private boolean isReported;

  SnapshotTransfer(int pauseTicks) {
    this.pauseTicks = pauseTicks;
  }

  /** The last index of the snapshot under way; 0 when none is. */
  long index() {
    return index;
  }

  boolean mayStart() {
    return index == 0 && ticksLeft == 0;
  }

  void started(long lastIndex) {
    index = lastIndex;
    attempts++;
    isReported = false;
  }

  /** All has been sent. The follower gets a while to say that it has installed it. */
  void sent() {
    if (index > 0 && !isReported) {
      isReported = true;
      pause(INSTALL_PAUSES * pauseTicks);
    }
  }

  void failed() {
    if (index > 0 && !isReported) {
      index = 0;
      pause(pauseTicks);
    }
  }

  private void pause(int ticks) {
    ticksLeft = ticks << Math.min(attempts - 1, DOUBLINGS_MAX);
  }

  void tick() {
    if (ticksLeft > 0 && --ticksLeft == 0) {
      index = 0;
    }
  }

  /** The follower has everything up to {@code match}. If that is the snapshot, another may go. */
  void accepted(long match) {
    if (index > 0 && match >= index) {
      index = 0;
      ticksLeft = 0;
    }
  }

  /** The follower is fed from the log again. */
  void end() {
    index = 0;
    attempts = 0;
    ticksLeft = 0;
  }
}
