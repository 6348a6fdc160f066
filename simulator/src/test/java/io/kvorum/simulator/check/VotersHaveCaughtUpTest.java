package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Of {@link VotersHaveCaughtUp}. */
class VotersHaveCaughtUpTest {
  private static final SortedSet<NodeId> OLD = new TreeSet<>(List.of(N1));
  private static final Membership FED = new Membership(OLD, new TreeSet<>(List.of(N2)));
  private static final Membership BOTH = Membership.of(List.of(N1, N2));

  /** n1 leads, has two entries, and feeds n2. */
  private static Events fed() {
    return new Events()
        .started(N1, 0)
        .started(N2, 0)
        .group(N1, Membership.of(List.of(N1)))
        .leads(N1, 1)
        .holds(N1, 2, entry(1, 1), entry(2, 1))
        .group(N1, FED);
  }

  @Test
  void whoHasAllThatWasThereVotes() {
    fed()
        .holds(N1, 3, entry(3, 1))
        .holds(N2, 2, entry(1, 1), entry(2, 1))
        .group(N1, BOTH)
        .areFineFor(new VotersHaveCaughtUp());
  }

  @Test
  void whoHasLessDoesNot() {
    fed()
        .holds(N2, 1, entry(1, 1))
        .group(N1, BOTH)
        .endBadlyFor(
            new VotersHaveCaughtUp(), "n1 makes n2 a voter", "to 1 and had to have it to 2");
  }

  @Test
  void norWhoWasNeverFed() {
    new Events()
        .started(N1, 0)
        .group(N1, Membership.of(List.of(N1)))
        .leads(N1, 1)
        .group(N1, BOTH)
        .endBadlyFor(new VotersHaveCaughtUp(), "n1 makes n2 a voter");
  }
}
