package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.raft.EntryId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.NodeFile;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import org.junit.jupiter.api.Test;

/** Of {@link SnapshotsAreKept}. */
class SnapshotsAreKeptTest {
  private static final EntryId OLD = entry(5, 1).id();
  private static final EntryId NEW = entry(9, 1).id();

  @Test
  void newestIsFoundAgainAndTheLogMayEndThere() {
    new Events()
        .snapshot(SnapshotNews.FOUND, N1, EntryId.ZERO)
        .snapshot(SnapshotNews.PUBLISHED, N1, OLD)
        .snapshot(SnapshotNews.LOG_CUT, N1, OLD)
        .snapshot(SnapshotNews.PUBLISHED, N1, NEW)
        .snapshot(SnapshotNews.LOG_RESET, N1, NEW)
        .restarted(N1, 1)
        .snapshot(SnapshotNews.FOUND, N1, NEW)
        .snapshot(SnapshotNews.LOG_CUT, N1, NEW)
        .areFineFor(new SnapshotsAreKept());
  }

  @Test
  void aCrashMayNotTakeIt() {
    new Events()
        .snapshot(SnapshotNews.PUBLISHED, N1, OLD)
        .snapshot(SnapshotNews.PUBLISHED, N1, NEW)
        .restarted(N1, 1)
        .snapshot(SnapshotNews.FOUND, N1, OLD)
        .endBadlyFor(new SnapshotsAreKept(), "n1 has lost its snapshot of 9");
  }

  @Test
  void norMayTheLogBeCutAheadOfIt() {
    for (SnapshotNews news : new SnapshotNews[] {SnapshotNews.LOG_CUT, SnapshotNews.LOG_RESET}) {
      new Events()
          .snapshot(SnapshotNews.PUBLISHED, N1, OLD)
          .snapshot(SnapshotNews.PUBLISHED, N2, NEW)
          .snapshot(news, N1, NEW)
          .endBadlyFor(new SnapshotsAreKept(), "n1 has no snapshot beyond 5");
    }
  }

  @Test
  void damageMayTakeItUntilThereIsAnother() {
    Events damaged =
        new Events()
            .snapshot(SnapshotNews.PUBLISHED, N1, NEW)
            .snapshot(SnapshotNews.LOG_CUT, N1, NEW)
            .struck(new Fault.LoseFile(N1, NodeFile.SNAPSHOT_FILE))
            .restarted(N1, 1)
            .snapshot(SnapshotNews.FOUND, N1, EntryId.ZERO)
            .snapshot(SnapshotNews.LOG_CUT, N1, NEW);
    damaged.areFineFor(new SnapshotsAreKept());
    damaged
        .snapshot(SnapshotNews.PUBLISHED, N1, NEW)
        .restarted(N1, 2)
        .snapshot(SnapshotNews.FOUND, N1, EntryId.ZERO)
        .endBadlyFor(new SnapshotsAreKept(), "n1 has lost its snapshot of 9");
  }
}
