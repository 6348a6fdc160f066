package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.raft.Message;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import io.kvorum.simulator.trace.SimEvent.StateNews;
import org.junit.jupiter.api.Test;

/** Of {@link QuarantineIsKept}. */
class QuarantineIsKeptTest {
  private static final Fault FLIP = new Fault.FlipState(N1, 0.5);

  private static Events quarantined() {
    return new Events()
        .startAll()
        .leads(N1, 3)
        .struck(FLIP)
        .state(StateNews.MARKING, N1)
        .state(StateNews.QUARANTINED, N1);
  }

  @Test
  void whoIsRebuiltTakesPartAgain() {
    quarantined()
        .restarted(N1, 1)
        .state(StateNews.MARKING, N1)
        .snapshot(SnapshotNews.INSTALLED, N1, entry(9, 3).id())
        .state(StateNews.SERVING, N1)
        .leads(N1, 4)
        .areFineFor(new QuarantineIsKept());
  }

  @Test
  void whatWasPromisedBeforeMayLeave() {
    quarantined()
        .sent(N1, N2, 3, new Message.RequestVoteResponse(true, false))
        .areFineFor(new QuarantineIsKept());
  }

  @Test
  void nobodyIsQuarantinedForNothing() {
    new Events()
        .startAll()
        .struck(FLIP)
        .state(StateNews.MARKING, N2)
        .endBadlyFor(new QuarantineIsKept(), "n2 is quarantined, and its state is right");
  }

  @Test
  void aVoteOutOfAQuarantine() {
    quarantined()
        .sent(N1, N3, 4, new Message.RequestVoteResponse(true, false))
        .endBadlyFor(new QuarantineIsKept(), "n1 votes in quarantine, in term 4");
  }

  @Test
  void aLeaderInQuarantine() {
    quarantined()
        .leads(N1, 5)
        .endBadlyFor(new QuarantineIsKept(), "n1 leads in quarantine, term 5");
  }

  @Test
  void aRestartThatForgetsIt() {
    quarantined()
        .restarted(N1, 1)
        .state(StateNews.SERVING, N1)
        .endBadlyFor(new QuarantineIsKept(), "n1 has left its quarantine with a wrong state");
  }
}
