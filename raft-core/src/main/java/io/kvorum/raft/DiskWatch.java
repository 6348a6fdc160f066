package io.kvorum.raft;

/**
 * Whether the own disk is stalled: a write waits for it and nothing has become durable for {@link
 * RaftConfig#diskStallTicks}. Progress counts, not the age of a write: a disk that is slow under
 * much work still answers, and a change of leader would not make it faster (FAULTS F153).
 *
 * <p>A stalled node can neither acknowledge nor apply, so it does not lead, campaign or vote until
 * the disk answers. It goes on following.
 */
final class DiskWatch {
  private final Writes writes;
  private final int stallTicks;
  private int ticks;

  DiskWatch(Writes writes, int stallTicks) {
    this.writes = writes;
    this.stallTicks = stallTicks;
  }

  void tick() {
    if (!writes.isUnderWay()) {
      ticks = 0;
    } else if (ticks < stallTicks) {
      ticks++;
    }
  }

  /** Something has become durable. */
  void progressed() {
    ticks = 0;
  }

  boolean isStalled() {
    return stallTicks > 0 && ticks >= stallTicks;
  }
}
