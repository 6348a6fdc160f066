package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.entry;

import io.kvorum.raft.Message;
import io.kvorum.simulator.plan.Fault;
import org.junit.jupiter.api.Test;

/** Of {@link VotersLackNothing}. */
class VotersLackNothingTest {
  private static final Message GRANTED = new Message.RequestVoteResponse(true, false);

  private static VotersLackNothing checker() {
    return new VotersLackNothing(new DurableLogs());
  }

  private static Events lacking() {
    return new Events()
        .stored(N1, entry(1, 1), entry(2, 1))
        .stored(N2, entry(1, 1), entry(2, 1))
        .applied(N1, entry(1, 1))
        .applied(N1, entry(2, 1))
        .struck(new Fault.ZeroTail(N2, 0.5))
        .restarted(N2, 1)
        .lacks(N2, true);
  }

  @Test
  void itMayVoteWhenAllIsThereAgain() {
    lacking()
        .sent(N2, N1, 3, new Message.RequestVoteResponse(false, true))
        .moved(N2, entry(1, 1).id(), 1, 0)
        .stored(N2, entry(2, 1), entry(3, 3))
        .lacks(N2, false)
        .sent(N2, N1, 4, GRANTED)
        .areFineFor(checker());
  }

  @Test
  void notBefore() {
    lacking().sent(N2, N1, 3, GRANTED).endBadlyFor(checker(), "though its log lacks something");
    lacking()
        .sent(N2, N1, 3, new Message.RequestVote(entry(1, 1).id(), true, false))
        .endBadlyFor(checker(), "though its log lacks something");
  }

  @Test
  void norMayItSaySoTooEarly() {
    lacking()
        .moved(N2, entry(1, 1).id(), 1, 0)
        .lacks(N2, false)
        .endBadlyFor(checker(), "n2 takes its log for whole, which lacks");
  }

  @Test
  void norAtAllWhereNothingWasTaken() {
    new Events()
        .stored(N2, entry(1, 1), entry(2, 1))
        .struck(new Fault.Kill(N2))
        .struck(new Fault.ZeroTail(N1, 0.5))
        .restarted(N2, 1)
        .lacks(N2, true)
        .endBadlyFor(checker(), "n2 says that its log lacks something, and nothing was taken");
  }

  @Test
  void norForgetIt() {
    lacking()
        .moved(N2, entry(1, 1).id(), 1, 0)
        .restarted(N2, 2)
        .moved(N2, entry(1, 1).id(), 1, 0)
        .endBadlyFor(checker(), "n2 takes its log for whole, which lacks");
  }
}
