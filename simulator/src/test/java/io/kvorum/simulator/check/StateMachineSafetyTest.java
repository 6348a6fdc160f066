package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import org.junit.jupiter.api.Test;

/** Of {@link StateMachineSafety}. */
class StateMachineSafetyTest {
  @Test
  void equalHistoriesAreFineAndSoIsAReplay() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .applied(N2, entry(1, 1))
        .restarted(N1, 1)
        .applied(N1, entry(2, 1))
        .applied(N1, entry(3, 2))
        .areFineFor(new StateMachineSafety());
  }

  @Test
  void anotherEntryIsNot() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N2, entry(1, 2))
        .endBadlyFor(new StateMachineSafety(), "n1 has applied", "n2 applies");
  }

  @Test
  void norIsAnotherResult() {
    new Events()
        .applied(N1, entry(1, 1), 7, 2)
        .applied(N2, entry(1, 1), 8, 2)
        .endBadlyFor(new StateMachineSafety(), "1@1 results in", "n1", "n2");
  }

  @Test
  void norIsAnotherRevision() {
    new Events()
        .applied(N1, entry(1, 1), 7, 2)
        .applied(N2, entry(1, 1), 7, 3)
        .endBadlyFor(new StateMachineSafety(), "1@1 results in", "revision 3 on n2");
  }

  @Test
  void norIsAGap() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .applied(N2, entry(1, 1))
        .applied(N2, entry(3, 1))
        .endBadlyFor(new StateMachineSafety(), "n2 applies 3@1 after 1");
  }

  @Test
  void norIsARepetition() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(1, 1))
        .endBadlyFor(new StateMachineSafety(), "n1 applies 1@1 after 1");
  }

  @Test
  void norIsABeginningBehindWhatWasReached() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .applied(N2, entry(1, 1))
        .restarted(N2, 1)
        .applied(N2, entry(3, 1))
        .endBadlyFor(new StateMachineSafety(), "n2 applies 3@1 first", "only 1");
  }

  @Test
  void aSnapshotTakesAStateForward() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .applied(N1, entry(3, 1))
        .applied(N2, entry(1, 1))
        .snapshot(SnapshotNews.INSTALLED, N2, entry(2, 1).id())
        .applied(N2, entry(3, 1))
        .restarted(N2, 1)
        .snapshot(SnapshotNews.INSTALLED, N2, entry(2, 1).id())
        .applied(N2, entry(3, 1))
        .areFineFor(new StateMachineSafety());
  }

  @Test
  void notBack() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .snapshot(SnapshotNews.INSTALLED, N1, entry(2, 1).id())
        .endBadlyFor(new StateMachineSafety(), "n1 installs the state as of 2");
  }

  @Test
  void norAheadOfWhatAnybodyHasApplied() {
    new Events()
        .applied(N1, entry(1, 1))
        .snapshot(SnapshotNews.INSTALLED, N2, entry(2, 1).id())
        .endBadlyFor(new StateMachineSafety(), "n2 installs the state as of 2");
  }

  @Test
  void behindASnapshotNothingIsLeftOut() {
    new Events()
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .snapshot(SnapshotNews.INSTALLED, N2, entry(1, 1).id())
        .applied(N2, entry(3, 1))
        .endBadlyFor(new StateMachineSafety(), "n2 applies 3@1 after 1");
  }
}
