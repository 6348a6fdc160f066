package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Thousands of short random lives (see {@link RandomSchedule}). A failure names its seed; {@code
 * -Draft.seed=N} runs that one alone, {@code -Draft.runs=N} sets how many are run.
 */
class RandomScheduleTest {
  /** Seeds that once found a fault, planted or not; they run first. */
  private static final long[] KEPT_SEEDS = {71};

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
    long termsLed = 0;
    long entriesCommitted = 0;
    long membershipsCommitted = 0;
    long installs = 0;
    Map<String, Integer> answers = new TreeMap<>();
    long runs = Long.getLong("raft.runs", 2000);
    for (long seed = 1; seed <= runs; seed++) {
      RandomSchedule life = run(seed);
      termsLed += life.termsLed;
      entriesCommitted += life.entriesCommitted;
      membershipsCommitted += life.membershipsCommitted;
      installs += life.installs;
      life.answers.forEach((how, count) -> answers.merge(how, count, Integer::sum));
    }
    // Lives in which little happens would show little.
    assertThat(termsLed).isGreaterThan(3 * runs);
    assertThat(entriesCommitted).isGreaterThan(10 * runs);
    assertThat(membershipsCommitted).isGreaterThan(runs);
    assertThat(installs).isGreaterThan(runs / 4);
    assertThat(answers).containsOnlyKeys("AnyMember", "Lease", "Round", "Stale", "leased");
    assertThat(answers.values()).as("%s", answers).allMatch(count -> count > runs / 2);
  }

  private static RandomSchedule run(long seed) {
    try {
      RandomSchedule life = new RandomSchedule(seed);
      life.run();
      return life;
    } catch (RuntimeException | AssertionError failure) {
      throw new AssertionError(
          "replay with -Dtest=RandomScheduleTest -Draft.seed=" + seed + ": " + failure.getMessage(),
          failure);
    }
  }
}
