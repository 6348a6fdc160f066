package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
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

  @Test
  void aSnapshotStandsForWhatIsCommitted() {
    new Events()
        .startAll()
        .holds(N1, 3, entry(1, 1), entry(2, 1), entry(3, 1))
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .holds(N2, 0, entry(1, 2))
        .snapshot(SnapshotNews.LOG_RESET, N2, entry(2, 1).id())
        .moved(N2, entry(2, 1), 2, 2)
        .holds(N2, 3, entry(3, 1))
        .snapshot(SnapshotNews.LOG_CUT, N1, entry(2, 1).id())
        .restarted(N1, 1)
        .moved(N1, entry(3, 1), 3, 2)
        .areFineFor(new CommittedNeverChanges(new DurableLogs()));
  }

  @Test
  void behindASnapshotTheSameHolds() {
    new Events()
        .startAll()
        .holds(N1, 3, entry(1, 1), entry(2, 1), entry(3, 1))
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .snapshot(SnapshotNews.LOG_RESET, N2, entry(2, 1).id())
        .moved(N2, entry(2, 1), 2, 2)
        .stored(N2, entry(3, 2))
        .moved(N2, entry(3, 2), 3, 3)
        .endBadlyFor(new CommittedNeverChanges(new DurableLogs()), "committed is", "on n2");
  }

  @Test
  void aSnapshotMayNotTakeIt() {
    new Events()
        .startAll()
        .holds(N1, 3, entry(1, 1), entry(2, 1), entry(3, 1))
        .snapshot(SnapshotNews.LOG_RESET, N1, entry(2, 1).id())
        .endBadlyFor(
            new CommittedNeverChanges(new DurableLogs()), "n1 gives up its log", "2@1", "3@1");
  }
}
