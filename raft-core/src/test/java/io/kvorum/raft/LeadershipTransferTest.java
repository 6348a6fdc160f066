package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import org.junit.jupiter.api.Test;

/** The thesis' §3.10, and FAULTS F010 (a) to (e). */
class LeadershipTransferTest {
  private static final NodeId N2 = new NodeId("n2");

  @Test
  void caughtUpTargetLeadsWithinARoundTripAlthoughTheLeaderIsHeard() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    assertThat(cluster.transfer("n1", "n2")).isTrue();
    cluster.deliver();
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n2").term()).isEqualTo(2);
    assertThat(cluster.core("n1").leader()).isEqualTo(N2);
    cluster.tickAll(2);
    assertThat(cluster.propose("n2", "x")).isInstanceOf(Proposal.Accepted.class);
  }

  @Test
  void targetThatIsBehindIsCaughtUpFirst() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n2");
    for (int i = 0; i < 5000; i++) {
      cluster.core("n1").propose(new byte[10]);
    }
    cluster.tickAll(2);
    cluster.heal();
    cluster.transfer("n1", "n2");
    cluster.tickAll(5);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n2").commitIndex()).isEqualTo(5002);
  }

  @Test
  void proposalsAreRefusedMeanwhile() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n2");
    cluster.propose("n1", "x");
    cluster.transfer("n1", "n2");
    assertThat(cluster.propose("n1", "y")).isEqualTo(new Proposal.Transferring(N2));
    assertThat(cluster.transfer("n1", "n3")).as("one at a time").isFalse();
  }

  @Test
  void partitionedTargetIsGivenUpAfterAnElectionTimeout() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n2");
    cluster.propose("n1", "x");
    cluster.transfer("n1", "n2");
    cluster.tickAll(10);
    assertThat(cluster.propose("n1", "y")).isInstanceOf(Proposal.Accepted.class);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  @Test
  void targetThatDiesOnTheOrderIsGivenUp() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.transfer("n1", "n2");
    cluster.crash("n2");
    cluster.tickAll(10);
    assertThat(cluster.propose("n1", "y")).isInstanceOf(Proposal.Accepted.class);
  }

  @Test
  void brokenConnectionToTheTargetEndsTheTransferAtOnce() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.transfer("n1", "n2");
    cluster.unreachable("n1", "n2");
    assertThat(cluster.propose("n1", "y")).isInstanceOf(Proposal.Accepted.class);
  }

  @Test
  void onlyAnotherVoterCanBeTheTarget() {
    TestCluster cluster = new TestCluster(3, 1, config -> config).elect("n1");
    assertThat(cluster.transfer("n1", "n1")).as("itself").isFalse();
    assertThat(cluster.transfer("n1", "n4")).as("a learner").isFalse();
    assertThat(cluster.transfer("n1", "n9")).as("a stranger").isFalse();
    assertThat(cluster.transfer("n2", "n3")).as("by a follower").isFalse();
    assertThat(cluster.propose("n1", "x")).isInstanceOf(Proposal.Accepted.class);
  }

  @Test
  void learnerDoesNotCampaignEvenWhenAsked() {
    TestCluster cluster = new TestCluster(3, 1, config -> config).elect("n1");
    NodeId learner = new NodeId("n4");
    cluster.step(new Envelope(new NodeId("n1"), learner, 1, new Message.TimeoutNow()));
    assertThat(cluster.core("n4").role()).isEqualTo(RoleName.LEARNER);
    assertThat(cluster.core("n4").term()).isEqualTo(1);
  }
}
