package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Idle groups go quiet, and are awake again when there is a reason. */
class QuiesceTest {
  private static final int ELECTION_TICKS = TestCluster.config("n1").electionTicks();

  /** What only a leader can do. */
  enum Request {
    PROPOSAL,
    LINEARIZABLE_READ,
    LEASE_READ,
    MEMBERSHIP_CHANGE,
    TRANSFER;

    boolean isAccepted(TestCluster cluster, String node) {
      return switch (this) {
        case PROPOSAL -> cluster.propose(node, "x") instanceof Proposal.Accepted;
        case LINEARIZABLE_READ -> cluster.read(node, 1);
        case LEASE_READ -> cluster.read(node, 1, ReadMode.LEASE);
        case MEMBERSHIP_CHANGE -> cluster.change(node, "n1 n2", "") instanceof Proposal.Accepted;
        case TRANSFER -> cluster.transfer(node, "n3");
      };
    }
  }

  private static TestCluster of(int voters, int learners, int ticks) {
    return new TestCluster(voters, learners, c -> c.toBuilder().quiesceTicks(ticks).build());
  }

  private static TestCluster quiet() {
    TestCluster cluster = of(3, 1, 5).elect("n1");
    cluster.tickAll(10);
    assertQuiet(cluster, true);
    cluster.sent.clear();
    return cluster;
  }

  private static void assertQuiet(TestCluster cluster, boolean quiet) {
    for (TestNode node : cluster.all()) {
      if (!node.isDown) {
        assertThat(node.core().status().quiet()).as("%s", node.id()).isEqualTo(quiet);
      }
    }
  }

  @Test
  void quietGroupSaysNothingAndElectsNobody() {
    TestCluster cluster = quiet();
    cluster.tickAll(1000);
    assertThat(cluster.sent).isEmpty();
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(1);
  }

  @Test
  void groupIsNeverQuietUnlessAskedFor() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.tickAll(1000);
    assertQuiet(cluster, false);
  }

  @Test
  void proposalWakesAndCommits() {
    TestCluster cluster = quiet();
    cluster.tickAll(50);
    cluster.propose("n1", "x");
    cluster.tickAll(2);
    assertQuiet(cluster, false);
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(2);
    cluster.tickAll(12);
    assertQuiet(cluster, true);
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(2);
  }

  @Test
  void readWakesOnTheLeaderAndOnAFollower() {
    TestCluster cluster = quiet();
    cluster.read("n1", 1);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).hasSize(1);
    assertQuiet(cluster, false);
    cluster.tickAll(12);
    assertQuiet(cluster, true);
    cluster.read("n4", 2, ReadMode.FOLLOWER);
    cluster.deliver();
    assertThat(cluster.node("n4").reads).hasSize(1);
    assertQuiet(cluster, false);
  }

  /** Its leader must see for itself whether it still has a majority. */
  @Test
  void groupWithAMemberDownStaysAwake() {
    TestCluster cluster = of(3, 0, 5).elect("n1");
    cluster.crash("n3");
    cluster.tickAll(100);
    assertQuiet(cluster, false);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    cluster.restart("n3");
    cluster.tickAll(20);
    assertQuiet(cluster, true);
  }

  @Test
  void lostAgreementWakesThoseWhoHaveAgreed() {
    TestCluster cluster = of(3, 0, 5).elect("n1");
    cluster.tickAll(2);
    cluster.cut("n3", "n1");
    cluster.tickAll(5);
    assertThat(cluster.core("n1").status().quiet()).isFalse();
    cluster.tickAll(20);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    cluster.heal();
    cluster.tickAll(20);
    assertQuiet(cluster, true);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  /** A member that was away asks for votes, and finds that there is a leader. */
  @Test
  void returningMemberWakesTheGroupAndDeposesNobody() {
    TestCluster cluster = quiet();
    cluster.crash("n3");
    cluster.tickAll(50);
    assertThat(cluster.sent).isEmpty();
    cluster.restart("n3");
    cluster.tickAll(30);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(cluster.core("n3").leader()).isEqualTo(new NodeId("n1"));
  }

  @Test
  void brokenConnectionToADeadLeaderIsEnough() {
    TestCluster cluster = quiet();
    cluster.crash("n1");
    cluster.tickAll(1000);
    assertThat(cluster.leader()).as("nobody has needed it").isNull();
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    cluster.tickAll(3);
    assertThat(cluster.leader()).isNotNull();
  }

  /** Without any hint: whoever needs the leader finds out. */
  @Test
  void followerThatNeedsADeadLeaderFindsOut() {
    TestCluster cluster = quiet();
    cluster.crash("n1");
    cluster.read("n2", 7, ReadMode.FOLLOWER);
    cluster.tickAll(10);
    assertThat(cluster.node("n2").failedReads).containsExactly(7L);
    cluster.tickAll(20);
    assertThat(cluster.leader()).isNotNull();
  }

  /** Its connections stay open, and the others sleep. */
  @ParameterizedTest
  @EnumSource
  void leaderThatIsFrozenIsReplacedWhenAFollowerIsAsked(Request request) {
    for (int voters : new int[] {3, 5}) {
      TestCluster cluster = of(voters, 0, 5).elect("n1");
      cluster.tickAll(10);
      assertQuiet(cluster, true);
      cluster.pause("n1");
      assertThat(request.isAccepted(cluster, "n2")).isFalse();
      for (int i = 0; i < 3 * ELECTION_TICKS; i++) {
        for (int n = 2; n <= voters; n++) {
          cluster.tick("n" + n, 1);
        }
        cluster.deliver();
      }
      assertThat(cluster.leader()).as("of %s voters", voters).isNotNull().isNotEqualTo("n1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaderThatLivesIsWokenByWhatAFollowerIsAskedAndNotDeposed(Request request) {
    TestCluster cluster = quiet();
    for (String asked : List.of("n2", "n3", "n4", "n2")) {
      assertThat(request.isAccepted(cluster, asked)).isFalse();
      cluster.deliver();
      assertQuiet(cluster, false);
      cluster.tickAll(4 * ELECTION_TICKS);
      assertQuiet(cluster, true);
    }
    assertThat(cluster.sent).noneMatch(e -> e.message() instanceof Message.RequestVote);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
  }

  /** Else the leader would be silent, and the one that is awake would campaign. */
  @Test
  void whoWasAskedAfterItAgreedAgreesNoMore() {
    TestCluster cluster = of(3, 0, 5).elect("n1");
    while (!cluster.core("n2").status().quiet()) {
      cluster.tick("n1", 1);
      while (cluster.deliver("n1", "n2")) {
        cluster.deliver("n2", "n1");
      }
    }
    assertThat(Request.PROPOSAL.isAccepted(cluster, "n2")).isFalse();
    cluster.deliver("n2", "n1");
    cluster.deliver();
    assertThat(cluster.core("n3").status().quiet()).as("has agreed").isTrue();
    assertThat(cluster.core("n1").status().quiet()).isFalse();
    cluster.sent.clear();
    cluster.tickAll(2 * ELECTION_TICKS);
    assertQuiet(cluster, true);
    assertThat(cluster.sent).noneMatch(e -> e.message() instanceof Message.RequestVote);
  }

  @Test
  void leaderThatWakesAloneStepsDownAfterAnElectionTimeout() {
    TestCluster cluster = quiet();
    cluster.tickAll(500);
    cluster.isolate("n1");
    cluster.propose("n1", "x");
    cluster.tick("n1", 9);
    assertThat(cluster.core("n1").role()).as("starts afresh").isEqualTo(RoleName.LEADER);
    cluster.tick("n1", 1);
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.FOLLOWER);
  }

  @Test
  void leaseIsVoidAfterTheSilence() {
    TestCluster cluster =
        new TestCluster(3, 0, c -> c.toBuilder().quiesceTicks(5).leaseReads(true).build());
    cluster.elect("n1");
    cluster.tickAll(10);
    assertQuiet(cluster, true);
    // Within the lease that was: quiet followers count no ticks, but waking must not revive it.
    cluster.core("n1").propose(new byte[0]);
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
    cluster.run(cluster.node("n1"));
    cluster.deliver();
    assertThat(cluster.core("n1").leaseHolds(1)).isTrue();
  }
}
