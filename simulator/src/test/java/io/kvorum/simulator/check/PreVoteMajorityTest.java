package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;

import io.kvorum.raft.Message;
import org.junit.jupiter.api.Test;

/** Of {@link PreVoteMajority}. */
class PreVoteMajorityTest {
  private static final Message.RequestVoteResponse GRANTED =
      new Message.RequestVoteResponse(true, true);

  @Test
  void aMajorityHasToSaySoOfThatTerm() {
    new Events()
        .startAll()
        .delivered(N2, N1, 3, GRANTED)
        .campaigns(N1, 3)
        .areFineFor(new PreVoteMajority());
    new Events()
        .startAll()
        .delivered(N2, N1, 3, GRANTED)
        .campaigns(N1, 4)
        .endBadlyFor(new PreVoteMajority(), "n1 campaigns in term 4, for which only [n1]");
  }

  @Test
  void neitherARefusalNorAVoteIsAGrant() {
    new Events()
        .startAll()
        .delivered(N2, N1, 3, new Message.RequestVoteResponse(false, true))
        .delivered(N3, N1, 3, new Message.RequestVoteResponse(true, false))
        .campaigns(N1, 3)
        .endBadlyFor(new PreVoteMajority(), "n1 campaigns in term 3");
  }

  @Test
  void whoeverIsAskedByTheLeaderNeedsNobody() {
    new Events()
        .startAll()
        .delivered(N2, N1, 2, new Message.TimeoutNow())
        .campaigns(N1, 3)
        .areFineFor(new PreVoteMajority());
  }
}
