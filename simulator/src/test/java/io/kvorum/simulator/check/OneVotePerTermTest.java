package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Message;
import org.junit.jupiter.api.Test;

/** Of {@link OneVotePerTerm}. */
class OneVotePerTermTest {
  private static final Message.RequestVoteResponse GRANTED =
      new Message.RequestVoteResponse(true, false);

  @Test
  void anotherTermIsAnotherVoteAndOneMayBeRepeated() {
    new Events()
        .sent(N1, N2, 3, GRANTED)
        .sent(N1, N2, 3, GRANTED)
        .sent(N1, N3, 4, GRANTED)
        .sent(N1, N2, 4, new Message.RequestVoteResponse(false, false))
        .sent(N1, N2, 4, new Message.RequestVoteResponse(true, true))
        .areFineFor(new OneVotePerTerm());
  }

  @Test
  void aVoteForgottenInACrashIsNot() {
    new Events()
        .sent(N1, N2, 3, GRANTED)
        .restarted(N1, 1)
        .sent(N1, N3, 3, GRANTED)
        .endBadlyFor(new OneVotePerTerm(), "n1 votes for both n2 and n3 in term 3");
  }

  @Test
  void norIsAVoteBesidesTheOneThatACandidateGivesItself() {
    new Events()
        .sent(N1, N2, 3, new Message.RequestVote(EntryId.ZERO, false, false))
        .sent(N1, N3, 3, GRANTED)
        .endBadlyFor(new OneVotePerTerm(), "n1 votes for both n1 and n3 in term 3");
  }
}
