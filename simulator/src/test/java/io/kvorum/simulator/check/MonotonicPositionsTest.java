package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Message.RequestVote;
import io.kvorum.raft.Message.RequestVoteResponse;
import org.junit.jupiter.api.Test;

/** Of {@link MonotonicPositions}. */
class MonotonicPositionsTest {
  @Test
  void aDurableIndexMayFallWhereNothingIsCommitted() {
    new Events()
        .follows(N1, 1)
        .moved(N1, entry(5, 1), 5, 3)
        .follows(N1, 2)
        .moved(N1, entry(4, 2), 3, 3)
        .restarted(N1, 1)
        .moved(N1, entry(3, 1), 3, 2)
        .areFineFor(new MonotonicPositions());
  }

  @Test
  void butNotBelowTheCommitIndex() {
    new Events()
        .moved(N1, entry(5, 1), 5, 3)
        .moved(N1, entry(5, 2), 2, 3)
        .endBadlyFor(new MonotonicPositions(), "durable index of n1 falls: 3, 2");
  }

  @Test
  void aCommitIndexNeverFallsInALife() {
    new Events()
        .moved(N1, entry(5, 1), 5, 3)
        .moved(N1, entry(5, 1), 5, 2)
        .endBadlyFor(new MonotonicPositions(), "commit index of n1 falls: 3, 2");
  }

  @Test
  void norDoesATerm() {
    new Events()
        .follows(N1, 3)
        .leads(N1, 2)
        .endBadlyFor(new MonotonicPositions(), "term of n1 falls: 3, 2");
  }

  @Test
  void aTermOnlyHeardOfMayBeForgottenInACrash() {
    new Events()
        .follows(N1, 3)
        .sent(N1, N2, 4, new RequestVote(EntryId.ZERO, true, false))
        .restarted(N1, 1)
        .follows(N1, 2)
        .areFineFor(new MonotonicPositions());
  }

  @Test
  void butNotOneInWhichTheNodeHasSpoken() {
    new Events()
        .follows(N1, 3)
        .sent(N1, N2, 3, new RequestVoteResponse(true, false))
        .restarted(N1, 1)
        .follows(N1, 2)
        .endBadlyFor(new MonotonicPositions(), "term of n1 falls: 3, 2");
  }

  @Test
  void noPositionLiesBehindTheEndOfTheLog() {
    new Events()
        .moved(N1, entry(5, 1), 5, 6)
        .endBadlyFor(new MonotonicPositions(), "end of the log");
  }
}
