package io.kvorum.raft;

import org.junit.jupiter.api.Test;

/**
 * Thousands of short random lives (see {@link RandomSchedule}). A failure names its seed; {@code
 * -Draft.seed=N} runs that one alone, {@code -Draft.runs=N} sets how many are run.
 */
class RandomScheduleTest {
  /** Seeds that once found a fault; they run first. */
  private static final long[] KEPT_SEEDS = {};

  @Test
  void everyScheduleKeepsThePromisesAndRecovers() {
    Long only = Long.getLong("raft.seed");
    if (only != null) {
      run(only);
      return;
    }
    for (long seed : KEPT_SEEDS) {
      run(seed);
    }
    long runs = Long.getLong("raft.runs", 3000);
    for (long seed = 1; seed <= runs; seed++) {
      run(seed);
    }
  }

  private static void run(long seed) {
    try {
      new RandomSchedule(seed).run();
    } catch (RuntimeException | AssertionError failure) {
      throw new AssertionError(
          "replay with -Dtest=RandomScheduleTest -Draft.seed=" + seed + ": " + failure.getMessage(),
          failure);
    }
  }
}
