package io.kvorum.raft;

/**
 * Whether a learner keeps up well enough to vote (thesis §4.2.1). It is measured in rounds: each
 * replicates what the leader's log held when the round began. One that takes less than an election
 * timeout shows that the learner is at most that far behind, however fast the log grows; a new
 * voter would then hold up commits for no longer than an election does.
 */
final class CatchUp {
  private final int roundTicksMax;
  private long target;
  private int ticks;
  private boolean lastWasQuick;

  /** The first round begins. */
  CatchUp(int roundTicksMax, long lastIndex) {
    this.roundTicksMax = roundTicksMax;
    target = lastIndex;
  }

  void tick() {
    ticks++;
  }

  /** The learner has everything durable up to {@code match}. */
  void matched(long match, long lastIndex) {
    if (match >= target) {
      lastWasQuick = ticks < roundTicksMax;
      target = lastIndex;
      ticks = 0;
    }
  }

  boolean isDone() {
    return lastWasQuick && ticks < roundTicksMax;
  }
}
