package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The thesis' §6.4, "Processing read-only queries more efficiently". */
class ReadIndexTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  @Test
  void readNamesTheCommitIndexOnceAMajorityHasAnswered() {
    TestCluster cluster = TestCluster.of(5).elect("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.read("n1", 7);
    answerRound(cluster, "n2", 1);
    assertThat(cluster.node("n1").reads).as("one answer of five").isEmpty();
    answerRound(cluster, "n2", 1);
    assertThat(cluster.node("n1").reads).as("the same node again").isEmpty();
    answerRound(cluster, "n3", 1);
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 2));
    assertThat(cluster.core("n1").status().pendingReads()).isZero();
  }

  /** FAULTS F096, with even and odd groups: one answer too few, then one more. */
  @Test
  void readNeedsAMajorityOfTheVoters() {
    for (int voters = 2; voters <= 7; voters++) {
      TestCluster cluster = new TestCluster(voters, 2, config -> config).elect("n1");
      cluster.read("n1", 1);
      for (int learner = voters + 1; learner <= voters + 2; learner++) {
        answerRound(cluster, "n" + learner, 1);
      }
      for (int voter = 2; voter <= Quorum.majority(voters); voter++) {
        assertThat(cluster.node("n1").reads).as("%d of %d", voter - 1, voters).isEmpty();
        answerRound(cluster, "n" + voter, 1);
      }
      assertThat(cluster.node("n1").reads).hasSize(1);
    }
  }

  @Test
  void readsThatQueueTogetherShareARound() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.sent.clear();
    for (long id = 1; id <= 1000; id++) {
      cluster.core("n1").read(id);
    }
    cluster.run(cluster.node("n1"));
    assertThat(cluster.sent).hasSize(2);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).hasSize(1000);
    assertThat(cluster.sent).hasSize(4);
  }

  @Test
  void answerToAnOlderRoundConfirmsNothingNewer() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n1", 1);
    cluster.read("n1", 2);
    answerRound(cluster, "n2", 1);
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(1, 1));
  }

  @Test
  void laterRoundConfirmsTheEarlierOnes() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n1", 1);
    cluster.read("n1", 2);
    answerRound(cluster, "n2", 2);
    assertThat(cluster.node("n1").reads).hasSize(2);
  }

  /** A rejected append still says that its sender follows. */
  @Test
  void rejectionAnswersTheRound() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n1", 1);
    Message rejection = new Message.AppendEntriesResponse(0, 1, EntryId.ZERO, 1);
    cluster.step(new Envelope(N2, N1, 1, rejection));
    assertThat(cluster.node("n1").reads).hasSize(1);
  }

  /** Lost rounds are repeated by the heartbeat. */
  @Test
  void readSurvivesLostMessages() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n1", 1);
    cluster.dropAll();
    cluster.tickAll(3);
    assertThat(cluster.node("n1").reads).hasSize(1);
  }

  /** FAULTS F092: what the last leader committed is not known before the own no-op is committed. */
  @Test
  void newLeaderAnswersNoReadBelowItsNoOp() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(2);
    assertThat(cluster.core("n2").commitIndex()).isEqualTo(1);
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    cluster.hold("n3");
    cluster.campaign("n2");
    cluster.deliver();
    cluster.release("n3");
    cluster.hold("n3");
    cluster.deliver("n3", "n2");
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    cluster.read("n2", 7);
    cluster.deliver();
    assertThat(cluster.node("n2").reads).isEmpty();
    cluster.release("n3");
    cluster.deliver();
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(7, 3));
  }

  /** A deposed leader that does not know it yet must not answer. */
  @Test
  void deposedLeaderAnswersNoRead() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    cluster.elect("n2");
    cluster.propose("n2", "newer");
    cluster.deliver();
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    cluster.read("n1", 7);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).isEmpty();
    cluster.heal();
    cluster.tick("n1", 3);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).isEmpty();
    assertThat(cluster.node("n1").failedReads).containsExactly(7L);
  }

  /** FAULTS F097: those in a round and those that wait for one, each once. */
  @Test
  void readsFailWhenTheLeaderStepsDown() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    cluster.read("n1", 1);
    cluster.read("n1", 2);
    cluster.core("n1").read(3);
    cluster.tick("n1", 12);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
    assertThat(cluster.node("n1").failedReads).containsExactlyElementsOf(List.of(1L, 2L, 3L));
    assertThat(cluster.core("n1").status().pendingReads()).isZero();
    assertThat(cluster.read("n1", 4)).isFalse();
  }

  @Test
  void soleVoterAnswersAtOnce() {
    TestCluster cluster = new TestCluster(1, 1, config -> config);
    cluster.tick("n1", 1);
    cluster.read("n1", 7);
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 1));
  }

  /** A thousand turns with a read each: few rounds wait, the later reads share the next one. */
  @Test
  void roundsDoNotPileUpBehindSlowFollowers() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.sent.clear();
    for (long id = 1; id <= 1000; id++) {
      cluster.read("n1", id);
    }
    assertThat(cluster.sent).hasSize(2 * ReadRounds.OPEN_MAX);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).hasSize(1000);
    assertThat(cluster.sent("n1", "n2")).isEqualTo(ReadRounds.OPEN_MAX + 1);
  }

  /** Rounds that others confirm are not told to a dead member one by one. */
  @Test
  void deadMemberIsSentOneMessageInAnInterval() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.crash("n3");
    cluster.sent.clear();
    for (long interval = 0; interval < 20; interval++) {
      for (long i = 1; i <= 100; i++) {
        cluster.read("n1", interval * 100 + i);
        cluster.deliver();
      }
      cluster.tickAll(3);
    }
    assertThat(cluster.node("n1").reads).hasSize(2000);
    assertThat(cluster.sent("n1", "n3")).isLessThanOrEqualTo(20 + ReadRounds.OPEN_MAX);
    cluster.restart("n3");
    cluster.crash("n2");
    cluster.read("n1", 9999);
    cluster.tickAll(4);
    assertThat(cluster.node("n1").reads).as("and is asked again when it is back").hasSize(2001);
  }

  /** FAULTS F013: what only a leader does starts on a state that holds all before its term. */
  @Test
  void leaderServesItsTermOnceItsNoOpIsApplied() {
    TestCluster cluster = TestCluster.of(3);
    cluster.node("n1").holdsApply = true;
    cluster.elect("n1");
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(1);
    assertThat(cluster.core("n1").servesTerm()).isFalse();
    cluster.core("n1").applied(1);
    assertThat(cluster.core("n1").servesTerm()).isTrue();
    cluster.isolate("n1");
    cluster.tick("n1", 12);
    assertThat(cluster.core("n1").servesTerm()).as("it leads no more").isFalse();
  }

  private static void answerRound(TestCluster cluster, String from, long round) {
    Message answer = new Message.AppendEntriesResponse(1, 0, null, round);
    cluster.step(new Envelope(new NodeId(from), N1, 1, answer));
  }
}
