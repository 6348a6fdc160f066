package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Leadership goes where it is wanted, and nothing is lost on the way (FAULTS F010). */
class PreferredLeaderTest {
  private static TestCluster preferring(int learners, String... bestFirst) {
    List<NodeId> ranking = Stream.of(bestFirst).map(NodeId::new).toList();
    return new TestCluster(3, learners, c -> c.toBuilder().preferredLeaders(ranking).build());
  }

  private static long orders(TestCluster cluster) {
    return cluster.sent.stream().filter(e -> e.message() instanceof Message.TimeoutNow).count();
  }

  /** FAULTS F010 (a). */
  @Test
  void bestRankedVoterLeadsAfterAnElectionTimeout() {
    TestCluster cluster = preferring(0, "n3", "n2").elect("n1");
    cluster.tickAll(8);
    assertThat(cluster.leader()).isEqualTo("n1");
    cluster.tickAll(3);
    assertThat(cluster.leader()).isEqualTo("n3");
    cluster.tickAll(200);
    assertThat(cluster.core("n3").term()).as("and stays").isEqualTo(2);
  }

  @Test
  void nextBestLeadsWhileTheBestIsDownAndGivesWayWhenItIsBack() {
    TestCluster cluster = preferring(0, "n3", "n2").elect("n1");
    cluster.crash("n3");
    cluster.tickAll(25);
    assertThat(cluster.leader()).isEqualTo("n2");
    cluster.restart("n3");
    cluster.tickAll(30);
    assertThat(cluster.leader()).isEqualTo("n3");
  }

  /** FAULTS F010 (b), (c). */
  @Test
  void oneThatIsBehindOrCutOffIsNotAsked() {
    TestCluster cluster = preferring(0, "n3").elect("n1");
    cluster.hold("n3");
    cluster.propose("n1", "x");
    cluster.tickAll(30);
    assertThat(orders(cluster)).as("its disk does not have what is committed").isZero();
    cluster.isolate("n3");
    cluster.tickAll(30);
    assertThat(orders(cluster)).isZero();
    assertThat(cluster.leader()).isEqualTo("n1");
  }

  /** FAULTS F010 (d). */
  @Test
  void learnerIsNotAsked() {
    TestCluster cluster = preferring(1, "n4").elect("n1");
    cluster.tickAll(100);
    assertThat(orders(cluster)).isZero();
  }

  /** FAULTS F010 (e): the order is lost each time; attempts become rare, and writes go on. */
  @Test
  void attemptsThatFailBecomeRare() {
    TestCluster cluster = preferring(0, "n3").elect("n1");
    cluster.lose(envelope -> envelope.message() instanceof Message.TimeoutNow);
    cluster.tickAll(1000);
    assertThat(orders(cluster)).as("attempts in 100 election timeouts").isBetween(3L, 6L);
    assertThat(cluster.leader()).isEqualTo("n1");
    cluster.tickAll(10);
    assertThat(cluster.propose("n1", "x")).isInstanceOf(Proposal.Accepted.class);
  }

  /** FAULTS F010: the order waits until what was proposed here has been answered. */
  @Test
  void transferWaitsForWhatIsNotAppliedHere() {
    TestCluster cluster = preferring(0, "n3").elect("n1");
    cluster.node("n1").holdsApply = true;
    cluster.propose("n1", "slow");
    cluster.tickAll(15);
    assertThat(orders(cluster)).isZero();
    cluster.core("n1").applied(2);
    assertThat(cluster.core("n1").hasReady()).isTrue();
    cluster.run(cluster.node("n1"));
    cluster.deliver();
    assertThat(cluster.leader()).isEqualTo("n3");
  }

  @Test
  void nothingAcceptedIsLostUnderSteadyWrites() {
    TestCluster cluster = preferring(0, "n3").elect("n1");
    int accepted = 0;
    for (int i = 0; cluster.core("n1").role() == RoleName.LEADER; i++) {
      assertThat(i).as("ticks").isLessThan(100);
      if (cluster.propose("n1", "x" + i) instanceof Proposal.Accepted) {
        accepted++;
      }
      cluster.tick("n1", 1);
      cluster.deliver();
    }
    assertThat(cluster.leader()).isEqualTo("n3");
    assertThat(accepted).isGreaterThan(5);
    assertThat(cluster.node("n1").applied).hasSizeGreaterThanOrEqualTo(accepted + 1);
  }
}
