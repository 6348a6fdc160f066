package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The thesis' §6.4.1, "Using clocks to reduce messaging for read-only queries". A tick is 10 ms and
 * an election takes at least 10 of them, so a lease lasts 9 × 10 ms less 5 %: 85.5 ms.
 */
class LeaseReadTest {
  private static final long LEASE_NANOS = 85_500_000;
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private static TestCluster leased(int voters, int learners) {
    return new TestCluster(voters, learners, c -> c.toBuilder().leaseReads(true).build());
  }

  /** A leader whose newest round was sent at this very moment, and is answered. */
  private static TestCluster freshLease() {
    TestCluster cluster = leased(3, 0).elect("n1");
    cluster.read("n1", 999);
    cluster.deliver();
    cluster.sent.clear();
    cluster.node("n1").reads.clear();
    return cluster;
  }

  @Test
  void leaderAnswersWithoutAMessageWhileTheLeaseHolds() {
    TestCluster cluster = freshLease();
    cluster.node("n1").clockNanos += LEASE_NANOS - 1;
    assertThat(cluster.read("n1", 7, ReadMode.LEASE)).isTrue();
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 1, 1));
    assertThat(cluster.sent).isEmpty();
    assertThat(cluster.core("n1").leaseHolds(1)).isTrue();
    assertThat(cluster.core("n1").leaseHolds(2)).as("of another term").isFalse();
  }

  /** FAULTS F094 (i): a leader that slept asks its followers. */
  @Test
  void leaseThatHasRunOutIsReplacedByARound() {
    TestCluster cluster = freshLease();
    cluster.node("n1").clockNanos += LEASE_NANOS;
    cluster.read("n1", 7, ReadMode.LEASE);
    assertThat(cluster.node("n1").reads).isEmpty();
    cluster.deliver();
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 1, 0));
  }

  /** FAULTS F094 (ii), (iii): the driver asks again before the answer leaves. */
  @Test
  void leaderThatSleepsAfterTheCheckSeesThatTheLeaseIsGone() {
    TestCluster cluster = freshLease();
    cluster.read("n1", 7, ReadMode.LEASE);
    assertThat(cluster.node("n1").reads.get(0).isLeased()).isTrue();
    cluster.node("n1").clockNanos += 3 * LEASE_NANOS;
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
  }

  /** FAULTS F094: an answer that took long gives little lease. */
  @Test
  void leaseIsMeasuredFromTheSendingNotFromTheAnswer() {
    TestCluster cluster = freshLease();
    cluster.node("n1").clockNanos += 2 * LEASE_NANOS;
    cluster.read("n1", 1);
    cluster.node("n1").clockNanos += 50_000_000;
    cluster.deliver();
    assertThat(cluster.core("n1").leaseHolds(1)).isTrue();
    cluster.node("n1").clockNanos += LEASE_NANOS - 50_000_000;
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
  }

  /** FAULTS F092. */
  @Test
  void thereIsNoLeaseBeforeTheNoOpIsCommitted() {
    TestCluster cluster = leased(3, 0);
    cluster.hold("n2");
    cluster.hold("n3");
    cluster.tickAll(10);
    cluster.syncOne("n2");
    cluster.deliver();
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").commitIndex()).isZero();
    cluster.read("n1", 7, ReadMode.LEASE);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).isEmpty();
    cluster.release("n2");
    cluster.deliver();
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 1, 0));
  }

  /** FAULTS F096: two learners and one voter of five are no majority. */
  @Test
  void onlyVotersGiveALease() {
    TestCluster cluster = leased(5, 2).elect("n1");
    cluster.node("n1").clockNanos += 2 * LEASE_NANOS;
    cluster.read("n1", 1);
    for (String learner : List.of("n6", "n7", "n2")) {
      cluster.deliver("n1", learner);
      cluster.deliver(learner, "n1");
    }
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
    cluster.deliver("n1", "n3");
    cluster.deliver("n3", "n1");
    assertThat(cluster.core("n1").leaseHolds(1)).isTrue();
  }

  @Test
  void leasesAreOffUnlessAskedFor() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.tickAll(10);
    cluster.read("n1", 7, ReadMode.LEASE);
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
    cluster.deliver();
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 1, 0));
  }

  @Test
  void onlyTheLeaderAnswersByLease() {
    assertThat(freshLease().read("n2", 7, ReadMode.LEASE)).isFalse();
  }

  @Test
  void driverThatTellsNoTimeGetsNoLease() {
    RaftConfig config = TestCluster.config("n1").toBuilder().leaseReads(true).build();
    MemoryDisk disk = new MemoryDisk();
    SnapshotMeta start = SnapshotMeta.initial(Membership.of(List.of(N1)));
    RaftCore core = new RaftCore(config, HardState.INITIAL, start, disk, () -> 0L);
    core.tick();
    for (int i = 0; core.hasReady(); i++) {
      Ready.Write write = core.ready().write();
      if (write != null) {
        disk.write(write);
        core.durable(disk.sync());
      }
      assertThat(i).isLessThan(10);
    }
    assertThat(core.commitIndex()).isEqualTo(1);
    assertThat(core.leaseHolds(1)).isFalse();
    core.now(5);
    assertThat(core.read(1)).isTrue();
    core.ready();
    assertThat(core.leaseHolds(1)).isTrue();
  }

  /** The hint that lets others campaign at once must not break the promise. */
  @Test
  void followerThatLostItsConnectionKeepsItsPromise() {
    TestCluster cluster = freshLease();
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    cluster.tick("n2", 9);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.FOLLOWER);
    requestVote(cluster, N3, N2, 2, false);
    assertThat(cluster.sent).isEmpty();
    cluster.tick("n2", 1);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.PRE_CANDIDATE);
  }

  /** The term rises by another message than the request, which then is of our own term. */
  @Test
  void followerThatMeetsAHigherTermKeepsItsPromise() {
    TestCluster cluster = freshLease();
    Message refusal = new Message.RequestVoteResponse(false, true);
    cluster.step(new Envelope(N3, N2, 5, refusal));
    assertThat(cluster.core("n2").term()).isEqualTo(5);
    requestVote(cluster, N3, N2, 5, false);
    assertThat(granted(cluster)).isFalse();
    cluster.tick("n2", 9);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.FOLLOWER);
    requestVote(cluster, N3, N2, 5, false);
    assertThat(granted(cluster)).isFalse();
  }

  /** It may have promised just before it died. */
  @Test
  void nodeThatStartsVotesForNobodyForAnElectionTimeout() {
    TestCluster cluster = freshLease();
    cluster.crash("n2");
    cluster.restart("n2");
    requestVote(cluster, N3, N2, 2, false);
    cluster.tick("n2", 9);
    requestVote(cluster, N3, N2, 2, false);
    assertThat(granted(cluster)).isFalse();
    cluster.tick("n2", 1);
    requestVote(cluster, N3, N2, 2, false);
    assertThat(granted(cluster)).isTrue();
  }

  /** FAULTS F010 (a), with leases on. */
  @Test
  void electionThatTheLeaderAskedForPassesOverThePromise() {
    TestCluster cluster = freshLease();
    cluster.transfer("n1", "n2");
    assertThat(cluster.core("n1").leaseHolds(1)).as("TimeoutNow has left").isFalse();
    cluster.deliver();
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").stepDown()).isEqualTo(RaftStatus.StepDown.TRANSFERRED);
  }

  /** The order may still be under way: whenever it arrives, an election follows. */
  @Test
  void transferThatFailedLeavesTheTermWithoutLease() {
    TestCluster cluster = freshLease();
    cluster.cut("n1", "n2");
    cluster.transfer("n1", "n2");
    cluster.tickAll(10);
    assertThat(cluster.propose("n1", "x")).isInstanceOf(Proposal.Accepted.class);
    cluster.deliver();
    assertThat(cluster.core("n1").leaseHolds(1)).isFalse();
    cluster.read("n1", 7, ReadMode.LEASE);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).hasSize(1).noneMatch(Ready.ReadState::isLeased);
  }

  /** FAULTS F007, F094: a leader alone, with the slowest clock the bound allows. */
  @Test
  void leaseEndsBeforeAnybodyElseCanLead() {
    assertThat(overlapMillis(975, 1025)).isZero();
    assertThat(overlapMillis(1025, 975)).isZero();
  }

  /** The check above sees what it looks for. */
  @Test
  void clocksBeyondTheBoundWouldBreakTheLease() {
    assertThat(overlapMillis(1000, 3000)).isPositive();
  }

  /** For how long n1 has a lease while another node leads. */
  private static int overlapMillis(int leaderPermille, int othersPermille) {
    TestCluster cluster = leased(3, 0).elect("n1");
    cluster.all().forEach(node -> node.clockPermille = othersPermille);
    cluster.node("n1").clockPermille = leaderPermille;
    cluster.pass(200);
    cluster.isolate("n1");
    // The others lose their connections at once, and so would campaign as early as they may.
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    int[] overlap = new int[1];
    int[] led = new int[1];
    cluster.pass(
        400,
        () -> {
          if (!"n1".equals(cluster.leader()) && cluster.leader() != null) {
            led[0]++;
            overlap[0] += cluster.core("n1").leaseHolds(1) ? 1 : 0;
          }
        });
    assertThat(led[0]).as("milliseconds with another leader").isGreaterThan(100);
    assertThat(cluster.core("n1").role()).as("FAULTS F007").isNotEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").stepDown()).isEqualTo(RaftStatus.StepDown.NO_MAJORITY);
    return overlap[0];
  }

  /** FAULTS F006, with leases on: one broken link, and nobody is deposed. */
  @Test
  void oneBrokenLinkDeposesNobody() {
    TestCluster cluster = freshLease();
    cluster.cut("n1", "n3");
    cluster.cut("n3", "n1");
    for (int i = 0; i < 100; i++) {
      cluster.propose("n1", "x" + i);
      cluster.tickAll(10);
      assertThat(cluster.core("n1").leaseHolds(1)).isTrue();
    }
    assertThat(cluster.core("n3").term()).isEqualTo(1);
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(101);
    cluster.heal();
    cluster.tickAll(30);
    assertThat(cluster.core("n3").leader()).isEqualTo(N1);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  private static void requestVote(
      TestCluster cluster, NodeId from, NodeId to, long term, boolean transfer) {
    EntryId last = new EntryId(9, 1);
    cluster.step(new Envelope(from, to, term, new Message.RequestVote(last, false, transfer)));
  }

  private static boolean granted(TestCluster cluster) {
    return cluster.sent.stream()
        .anyMatch(
            e -> e.message() instanceof Message.RequestVoteResponse answer && answer.granted());
  }
}
