package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The paper's §5.1 and §5.2. */
class LeaderElectionTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  @Test
  void followerCampaignsAfterAnElectionTimeoutOfSilence() {
    TestCluster cluster = TestCluster.of(3);
    cluster.tick("n1", 9);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
    cluster.tick("n1", 1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.PRE_CANDIDATE);
  }

  @Test
  void electionTimeoutsAreSpreadOverTheirWholeRange() {
    Set<Integer> seen = new HashSet<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 500; i++) {
      TestNode node =
          new TestNode(TestCluster.config("n1"), Membership.of(List.of(N1, N2)), random);
      int ticks = 0;
      while (node.core().role() == RoleName.FOLLOWER) {
        node.core().tick();
        ticks++;
      }
      seen.add(ticks);
    }
    assertThat(seen).hasSize(10).allMatch(ticks -> ticks >= 10 && ticks < 20);
  }

  @Test
  void leaderKeepsFollowersFromCampaigning() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.tickAll(100);
    for (TestNode node : cluster.all()) {
      assertThat(node.core().term()).isEqualTo(1);
      assertThat(node.core().leader()).isEqualTo(N1);
    }
  }

  @Test
  void nodeVotesOnceInATerm() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(vote(N2, 1, false));
    cluster.step(vote(N3, 1, false));
    cluster.step(vote(N2, 1, false));
    assertThat(cluster.sent.stream().map(LeaderElectionTest::granted))
        .containsExactly(true, false, true);
  }

  @Test
  void voteOutlivesARestart() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(vote(N2, 1, false));
    cluster.crash("n1");
    cluster.restart("n1");
    cluster.step(vote(N3, 1, false));
    assertThat(cluster.sent.stream().map(LeaderElectionTest::granted)).containsExactly(true, false);
  }

  /** Our own idea of the members may be behind (FAULTS F083, F084). */
  @Test
  void voteDoesNotAskWhetherTheCandidateIsAMember() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(vote(new NodeId("n9"), 1, false));
    assertThat(granted(cluster.sent.get(0))).isTrue();
  }

  @Test
  void votesOfStrangersAndLearnersDoNotCount() {
    TestCluster cluster = new TestCluster(3, 1, config -> config);
    cluster.campaign("n1");
    Message grant = new Message.RequestVoteResponse(true, true);
    for (String stranger : List.of("n4", "n8", "n9")) {
      cluster.step(new Envelope(new NodeId(stranger), N1, 1, grant));
    }
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.PRE_CANDIDATE);
    cluster.step(new Envelope(N2, N1, 1, grant));
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.CANDIDATE);
  }

  /** §6, last paragraph. */
  @Test
  void higherTermOfACandidateIsIgnoredWhileALeaderIsHeard() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.sent.clear();
    cluster.step(vote(N3, 9, N2, false));
    cluster.step(vote(N3, 9, N1, false));
    assertThat(cluster.sent).isEmpty();
    assertThat(cluster.core("n2").term()).isEqualTo(1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);

    cluster.step(vote(N3, 9, N2, true));
    assertThat(cluster.core("n2").term()).isEqualTo(9);
  }

  @Test
  void leaderStepsDownWhenItHearsFromNoMajority() {
    TestCluster cluster = TestCluster.of(5).elect("n1");
    for (String lost : List.of("n3", "n4", "n5")) {
      cluster.isolate(lost);
    }
    cluster.tickAll(9);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    cluster.tickAll(1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  @Test
  void leaderWithAMajorityStays() {
    TestCluster cluster = TestCluster.of(5).elect("n1");
    cluster.isolate("n4");
    cluster.isolate("n5");
    cluster.tickAll(50);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
  }

  @Test
  void killedLeaderIsReplacedWithinAHeartbeatOfTheBrokenConnections() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    cluster.tick("n2", 3);
    cluster.deliver();
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
  }

  @Test
  void brokenConnectionThatComesBackStartsNoElection() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.unreachable("n2", "n1");
    cluster.tick("n1", 3);
    cluster.deliver();
    cluster.tick("n2", 9);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.FOLLOWER);
    assertThat(cluster.core("n2").leader()).isEqualTo(N1);
  }

  @Test
  void soleVoterLeadsAfterItsFirstTick() {
    TestCluster cluster = new TestCluster(1, 1, config -> config);
    cluster.tick("n1", 1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.node("n1").disk.hardState()).isEqualTo(new HardState(1, N1));
  }

  @Test
  void slowDiskOfACandidateDoesNotRaiseTheTerm() {
    TestCluster cluster = TestCluster.of(1);
    cluster.hold("n1");
    cluster.tick("n1", 100);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  @Test
  void termIsAtLeastThatOfTheLog() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(2, N3), 1, 5);
    assertThat(cluster.core("n1").term()).isEqualTo(5);
    cluster.step(vote(N2, 5, false));
    assertThat(granted(cluster.sent.get(0))).isFalse();
  }

  @Test
  void twoLeadersInATermAreNoticed() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    Message append = new Message.AppendEntries(EntryId.ZERO, List.of(), 0, 0);
    assertThatThrownBy(() -> cluster.step(new Envelope(N3, N1, 1, append)))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("one leader in a term");
    assertThatThrownBy(() -> cluster.step(new Envelope(N3, N2, 1, append)))
        .isInstanceOf(InvariantViolation.class);
  }

  private static Envelope vote(NodeId from, long term, boolean transfer) {
    return vote(from, term, N1, transfer);
  }

  private static Envelope vote(NodeId from, long term, NodeId to, boolean transfer) {
    EntryId last = new EntryId(1, 1);
    return new Envelope(from, to, term, new Message.RequestVote(last, false, transfer));
  }

  private static boolean granted(Envelope envelope) {
    return ((Message.RequestVoteResponse) envelope.message()).granted();
  }
}
