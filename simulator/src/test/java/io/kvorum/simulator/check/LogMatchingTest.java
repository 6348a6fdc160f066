package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;
import static io.kvorum.simulator.check.Events.entry;

import org.junit.jupiter.api.Test;

/** Of {@link LogMatching}. */
class LogMatchingTest {
  @Test
  void logsThatDifferOnlyWhereTheirTermsDoAreFine() {
    new Events()
        .stored(N1, entry(1, 1), entry(2, 1), entry(3, 1))
        .stored(N2, entry(1, 1), entry(2, 2))
        .stored(N3, entry(1, 1))
        .stored(N3, entry(2, 2), entry(3, 3))
        .stored(N1, entry(2, 2))
        .stored(N1, entry(3, 3))
        .applied(N1, entry(1, 1))
        .areFineFor(new LogMatching(new DurableLogs()));
  }

  @Test
  void oneIdWithTwoPayloadsIsNot() {
    new Events()
        .stored(N1, entry(1, 1))
        .stored(N2, entry(1, 1, 99))
        .endBadlyFor(new LogMatching(new DurableLogs()), "1@1", "n1", "n2");
  }

  @Test
  void norIsOneIdWithTwoPasts() {
    new Events()
        .stored(N1, entry(1, 1), entry(2, 1), entry(3, 3))
        .stored(N2, entry(1, 1), entry(2, 2))
        .stored(N2, entry(3, 3))
        .endBadlyFor(new LogMatching(new DurableLogs()), "3@3", "term 1", "2@2 on n2");
  }

  @Test
  void norDoTermsFallAlongALog() {
    new Events()
        .stored(N1, entry(1, 2), entry(2, 1))
        .endBadlyFor(new LogMatching(new DurableLogs()), "terms fall along the log of n1");
  }

  @Test
  void norIsAnotherPayloadThatIsApplied() {
    new Events()
        .stored(N1, entry(1, 1))
        .applied(N1, entry(1, 1, 99))
        .endBadlyFor(new LogMatching(new DurableLogs()), "1@1");
  }

  @Test
  void whatACrashLeavesInDoubtProvesNothing() {
    new Events()
        .holds(N1, 0, entry(1, 1), entry(2, 1))
        .stored(N2, entry(1, 1), entry(2, 2), entry(3, 3))
        .restarted(N1, 1)
        .stored(N1, entry(3, 3))
        .areFineFor(new LogMatching(new DurableLogs()));
  }
}
