package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Who is short of something lets the others lead, and leads if nobody else can. */
class ReluctanceTest {
  /** All nodes hear of it, as they do when members tell each other. */
  private static void reluctant(TestCluster cluster, String... names) {
    Set<NodeId> nodes = new TreeSet<>(TestCluster.ids(names));
    cluster.all().forEach(node -> node.core().reluctant(nodes));
  }

  @Test
  void reluctantLeaderHandsOverToOneThatIsNotWithoutLosingAnything() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    reluctant(cluster, "n1", "n2");
    cluster.propose("n1", "x");
    cluster.tickAll(25);
    assertThat(cluster.leader()).isEqualTo("n3");
    assertThat(cluster.core("n1").stepDown()).isEqualTo(RaftStatus.StepDown.TRANSFERRED);
    assertThat(cluster.node("n3").applied).hasSize(3);
    cluster.tickAll(400);
    assertThat(cluster.leader()).as("and stays").isEqualTo("n3");
  }

  @Test
  void leaderStaysWhereAllAreReluctantAndGoesOnTakingProposals() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    reluctant(cluster, "n1", "n2", "n3");
    cluster.tickAll(400);
    assertThat(cluster.leader()).isEqualTo("n1");
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(cluster.propose("n1", "x")).isInstanceOf(Proposal.Accepted.class);
  }

  @Test
  void preferredLeaderThatIsReluctantIsNotAskedAndNobodyHandsBack() {
    TestCluster cluster =
        new TestCluster(
                3,
                0,
                c -> c.toBuilder().preferredLeaders(List.copyOf(TestCluster.ids("n1"))).build())
            .elect("n1");
    reluctant(cluster, "n1");
    cluster.tickAll(25);
    String other = cluster.leader();
    assertThat(other).isNotEqualTo("n1");
    cluster.tickAll(1_000);
    assertThat(cluster.leader()).isEqualTo(other);
    assertThat(cluster.core(other).term()).isEqualTo(2);
    reluctant(cluster);
    cluster.tickAll(25);
    assertThat(cluster.leader()).as("it may lead again").isEqualTo("n1");
  }

  /** Whatever the others draw: the least patience of the one is more than the most of the other. */
  @Test
  void reluctantFollowerLetsTheOtherCampaignFirst() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    reluctant(cluster, "n2");
    cluster.crash("n1");
    cluster.tickAll(45);
    assertThat(cluster.leader()).isEqualTo("n3");
  }

  @Test
  void groupIsNotLeaderlessForEverWhereOnlyReluctantOnesAreLeft() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    reluctant(cluster, "n2", "n3");
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    cluster.tickAll(40);
    assertThat(cluster.leader()).isEqualTo("n2");
  }

  /** What only the reluctant one has was perhaps acknowledged: it is the only one to lead. */
  @Test
  void reluctantOneLeadsAsLongAsNobodyElseHasTheLog() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.propose("n1", "x");
    cluster.tickAll(2);
    cluster.heal();
    cluster.crash("n1");
    reluctant(cluster, "n2");
    cluster.tickAll(35);
    assertThat(cluster.leader()).isEqualTo("n2");
    cluster.tickAll(60);
    assertThat(cluster.leader()).as("it has given the rest to the other").isEqualTo("n3");
  }

  @Test
  void majorityWithoutTheReluctantIsCountedInBothHalves() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    RaftCore core = cluster.core("n1");
    assertThat(core.sparesReluctant()).isTrue();
    reluctant(cluster, "n2");
    assertThat(core.sparesReluctant()).isTrue();
    reluctant(cluster, "n2", "n3");
    assertThat(core.sparesReluctant()).isFalse();
  }
}
