package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.api.Bytes;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of {@link AckedIsDurable}. */
class AckedIsDurableTest {
  private static final ClientOperation DELETE = new ClientOperation.Delete(Bytes.utf8("k"));

  private static Events written() {
    return new Events().startAll().holds(N1, 1, entry(1, 1)).applied(N1, entry(1, 1), 0, 2);
  }

  @Test
  void aWriteOnTwoOfThreeDisksIsFineAlsoWhenOneIsDown() {
    written()
        .stored(N2, entry(1, 1))
        .stopped(N2)
        .put(1, 1, 2)
        .areFineFor(new AckedIsDurable(new DurableLogs()));
  }

  @Test
  void aWriteOnOneOfThreeIsNot() {
    written()
        .stored(N2, entry(1, 2))
        .put(1, 1, 2)
        .endBadlyFor(
            new AckedIsDurable(new DurableLogs()), "revision 2", "1@1 is on disks of [n1] only");
  }

  @Test
  void norIsOneOfARevisionThatNobodyMade() {
    written()
        .stored(N2, entry(1, 1))
        .put(1, 1, 3)
        .endBadlyFor(new AckedIsDurable(new DurableLogs()), "revision 3, which no entry has made");
  }

  @Test
  void aDeleteOfNothingPromisesNothing() {
    written()
        .called(1, 1, DELETE)
        .returned(1, 1, new ClientOutcome.Done(2, 0, List.of()))
        .areFineFor(new AckedIsDurable(new DurableLogs()));
  }

  @Test
  void aDeleteOfSomethingDoes() {
    written()
        .called(1, 1, DELETE)
        .returned(1, 1, new ClientOutcome.Done(2, 1, List.of()))
        .endBadlyFor(new AckedIsDurable(new DurableLogs()), "1@1 is on disks of [n1] only");
  }

  @Test
  void entriesThatMakeNoRevisionAreSkipped() {
    new Events()
        .startAll()
        .holds(N1, 3, entry(1, 1), entry(2, 1), entry(3, 1))
        .stored(N2, entry(1, 1), entry(2, 1), entry(3, 1))
        .applied(N1, entry(1, 1), 0, 1)
        .applied(N1, entry(2, 1), 0, 1)
        .applied(N1, entry(3, 1), 0, 2)
        .put(1, 1, 2)
        .areFineFor(new AckedIsDurable(new DurableLogs()));
  }

  @Test
  void aSnapshotStandsForTheEntriesBeforeIt() {
    written()
        .snapshot(SnapshotNews.LOG_RESET, N2, entry(1, 1).id())
        .put(1, 1, 2)
        .areFineFor(new AckedIsDurable(new DurableLogs()));
  }

  @Test
  void andTakesAwayThoseBehindIt() {
    written()
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .applied(N1, entry(2, 1), 0, 3)
        .stored(N2, entry(1, 1), entry(2, 1))
        .snapshot(SnapshotNews.LOG_RESET, N2, entry(1, 1).id())
        .put(1, 1, 3)
        .endBadlyFor(
            new AckedIsDurable(new DurableLogs()), "revision 3", "2@1 is on disks of [n1] only");
  }
}
