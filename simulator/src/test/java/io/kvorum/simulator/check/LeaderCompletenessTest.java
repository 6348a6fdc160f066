package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;
import static io.kvorum.simulator.check.Events.entry;

import org.junit.jupiter.api.Test;

/** Of {@link LeaderCompleteness}. */
class LeaderCompletenessTest {
  private static Events committedInTermOne() {
    return new Events()
        .startAll()
        .follows(N2, 1)
        .follows(N3, 1)
        .leads(N1, 1)
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1));
  }

  @Test
  void aLeaderThatHoldsWhatIsCommittedIsFine() {
    committedInTermOne()
        .holds(N2, 0, entry(1, 1), entry(2, 1))
        .leads(N2, 2)
        .moved(N2, entry(3, 2), 2, 0)
        .areFineFor(new LeaderCompleteness(new DurableLogs()));
  }

  @Test
  void oneWithAShorterLogIsNot() {
    committedInTermOne()
        .holds(N2, 0, entry(1, 1))
        .leads(N2, 2)
        .moved(N2, entry(1, 1), 1, 0)
        .endBadlyFor(new LeaderCompleteness(new DurableLogs()), "n2 leads term 2 without 2@1");
  }

  @Test
  void norIsOneWithAnotherEntryInItsPlace() {
    committedInTermOne()
        .holds(N2, 0, entry(1, 1))
        .leads(N2, 3)
        .stored(N2, entry(2, 3))
        .moved(N2, entry(2, 3), 2, 0)
        .endBadlyFor(new LeaderCompleteness(new DurableLogs()), "n2 leads term 3 without 2@1");
  }

  @Test
  void aLeaderOfATermBeforeTheCommitMayLackIt() {
    new Events()
        .startAll()
        .leads(N3, 1)
        .holds(N3, 0, entry(1, 1))
        .leads(N1, 2)
        .holds(N1, 2, entry(1, 2), entry(2, 2))
        .applied(N1, entry(1, 2))
        .applied(N1, entry(2, 2))
        .moved(N3, entry(1, 1), 1, 0)
        .areFineFor(new LeaderCompleteness(new DurableLogs()));
  }

  @Test
  void whatTheDiskStillHoldsBelowTheMemoryIsNotTheLeadersLog() {
    committedInTermOne()
        .holds(N2, 0, entry(1, 1), entry(2, 0))
        .leads(N2, 2)
        .moved(N2, entry(3, 2), 1, 0)
        .areFineFor(new LeaderCompleteness(new DurableLogs()));
  }

  @Test
  void aCrashLeavesADoubt() {
    committedInTermOne()
        .holds(N2, 0, entry(1, 1), entry(2, 0))
        .restarted(N2, 1)
        .leads(N2, 2)
        .moved(N2, entry(3, 2), 2, 0)
        .areFineFor(new LeaderCompleteness(new DurableLogs()));
  }
}
