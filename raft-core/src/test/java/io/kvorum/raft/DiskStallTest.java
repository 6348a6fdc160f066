package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.raft.RaftStatus.StepDown;
import org.junit.jupiter.api.Test;

/** FAULTS F153: a disk that is slow changes nothing, one that does not answer ends a leadership. */
class DiskStallTest {
  private static final int STALL_TICKS = 40;

  private static TestCluster stalledLeader() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.hold("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    return cluster;
  }

  @Test
  void leaderWithAStalledDiskHandsOver() {
    TestCluster cluster = stalledLeader();
    cluster.tickAll(STALL_TICKS - 1);
    assertThat(cluster.leader()).isEqualTo("n1");
    cluster.tickAll(1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
    assertThat(cluster.core("n1").stepDown()).isEqualTo(StepDown.DISK_STALLED);
    assertThat(cluster.leader()).isEqualTo("n2");
    assertThat(cluster.propose("n2", "y")).isInstanceOf(Proposal.Accepted.class);
    cluster.tickAll(2);
    assertThat(cluster.node("n3").applied).hasSize(4);
  }

  @Test
  void syncOfTwoElectionTimeoutsChangesNothing() {
    TestCluster cluster = stalledLeader();
    cluster.hold("n2");
    for (int i = 0; i < 10; i++) {
      cluster.tickAll(20);
      cluster.release("n1");
      cluster.release("n2");
      cluster.hold("n1");
      cluster.hold("n2");
      cluster.propose("n1", "x" + i);
    }
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  /** Each sync takes long and others queue behind it, but it goes on. */
  @Test
  void progressIsNoStall() {
    TestCluster cluster = stalledLeader();
    for (int i = 0; i < 10; i++) {
      cluster.propose("n1", "x" + i);
      cluster.propose("n1", "y" + i);
      cluster.tickAll(STALL_TICKS - 1);
      cluster.syncOne("n1");
    }
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
  }

  @Test
  void slowApplyChangesNothing() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.all().forEach(node -> node.holdsApply = true);
    cluster.propose("n1", "x");
    cluster.tickAll(10 * STALL_TICKS);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  @Test
  void stalledNodeNeitherCampaignsNorVotes() {
    TestCluster cluster = stalledLeader();
    cluster.isolate("n1");
    cluster.tick("n1", 500);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    cluster.sent.clear();
    NodeId n1 = new NodeId("n1");
    NodeId n3 = new NodeId("n3");
    Message request = new Message.RequestVote(new EntryId(9, 1), true, false);
    cluster.step(new Envelope(n3, n1, 2, request));
    assertThat(cluster.sent)
        .extracting(Envelope::message)
        .containsExactly(new Message.RequestVoteResponse(false, true));
    cluster.step(new Envelope(new NodeId("n2"), n1, 1, new Message.TimeoutNow()));
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
  }

  @Test
  void nodeComesBackByItselfWhenItsDiskAnswers() {
    TestCluster cluster = stalledLeader();
    cluster.tickAll(STALL_TICKS);
    cluster.release("n1");
    cluster.tickAll(3);
    assertThat(cluster.core("n1").leader()).isEqualTo(new NodeId("n2"));
    assertThat(cluster.node("n1").applied).hasSize(3);
    cluster.crash("n2");
    cluster.elect("n1");
    assertThat(cluster.propose("n1", "y")).isInstanceOf(Proposal.Accepted.class);
  }

  /** Where the others do not have everything, they elect by themselves. */
  @Test
  void leaderWithoutACaughtUpVoterStepsDownAllTheSame() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    for (String node : new String[] {"n1", "n2", "n3"}) {
      cluster.hold(node);
    }
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.tickAll(STALL_TICKS);
    assertThat(cluster.core("n1").stepDown()).isEqualTo(StepDown.DISK_STALLED);
    assertThat(cluster.leader()).isNull();
    cluster.release("n2");
    cluster.release("n3");
    cluster.elect("n2");
    assertThat(cluster.node("n2").applied).as("what they held was not lost").hasSize(3);
  }

  @Test
  void limitCanBeSwitchedOff() {
    TestCluster cluster = new TestCluster(3, 0, c -> c.toBuilder().diskStallTicks(0).build());
    cluster.elect("n1").hold("n1");
    cluster.propose("n1", "x");
    cluster.tickAll(1000);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
  }
}
