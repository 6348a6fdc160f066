package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;
import static io.kvorum.simulator.check.Events.entry;

import org.junit.jupiter.api.Test;

/** Of {@link CommittedNeverChanges}. */
class CommittedNeverChangesTest {
  @Test
  void whatIsNotCommittedMayBeReplaced() {
    new Events()
        .startAll()
        .holds(N1, 1, entry(1, 1), entry(2, 1))
        .stored(N1, entry(2, 2))
        .moved(N1, entry(2, 2), 2, 2)
        .holds(N2, 2, entry(1, 1), entry(2, 2))
        .restarted(N1, 1)
        .moved(N1, entry(2, 2), 2, 1)
        .areFineFor(new CommittedNeverChanges(new DurableLogs()));
  }

  @Test
  void whatIsMayNot() {
    new Events()
        .startAll()
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .stored(N1, entry(2, 2))
        .endBadlyFor(new CommittedNeverChanges(new DurableLogs()), "n1 replaces its committed");
  }

  @Test
  void twoNodesMayNotCommitDifferentEntries() {
    new Events()
        .startAll()
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .stored(N2, entry(1, 1), entry(2, 2))
        .moved(N2, entry(2, 2), 2, 2)
        .endBadlyFor(new CommittedNeverChanges(new DurableLogs()), "committed is", "on n2");
  }

  @Test
  void aCrashMayNotTakeIt() {
    new Events()
        .startAll()
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .restarted(N1, 1)
        .moved(N1, entry(1, 1), 1, 1)
        .endBadlyFor(
            new CommittedNeverChanges(new DurableLogs()),
            "n1 starts with a log that ends at 1@1",
            "2@1");
  }

  @Test
  void whatIsAppliedIsCommitted() {
    new Events()
        .startAll()
        .holds(N1, 1, entry(1, 1))
        .applied(N3, entry(1, 2))
        .endBadlyFor(new CommittedNeverChanges(new DurableLogs()), "committed is", "on n3");
  }
}
