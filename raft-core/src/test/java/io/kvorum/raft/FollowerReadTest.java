package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads on followers and learners (thesis §6.4): the leader confirms, the asked node answers. */
class FollowerReadTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  private static boolean read(TestCluster cluster, String node, long id) {
    return cluster.read(node, id, ReadMode.FOLLOWER);
  }

  @Test
  void followerAndLearnerAnswerWhenTheyHaveTheIndex() {
    TestCluster cluster = new TestCluster(3, 1, config -> config).elect("n1");
    cluster.cut("n1", "n2");
    cluster.propose("n1", "x");
    cluster.deliver();
    assertThat(read(cluster, "n2", 7)).isTrue();
    assertThat(read(cluster, "n4", 8)).isTrue();
    cluster.deliver();
    assertThat(cluster.node("n4").reads).containsExactly(new Ready.ReadState(8, 2));
    cluster.step(new Envelope(N1, N2, 1, new Message.ReadIndexResponse(1, 2)));
    assertThat(cluster.node("n2").reads).as("it misses entry 2").isEmpty();
    cluster.heal();
    cluster.tickAll(4);
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(7, 2));
    assertThat(cluster.node("n2").applied).hasSize(2);
    assertThat(cluster.core("n2").status().pendingReads()).isZero();
  }

  @Test
  void readsThatQueueTogetherShareAQuestion() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.sent.clear();
    for (long id = 1; id <= 100; id++) {
      assertThat(cluster.core("n2").read(id, ReadMode.FOLLOWER)).isTrue();
    }
    cluster.run(cluster.node("n2"));
    for (long id = 101; id <= 200; id++) {
      read(cluster, "n2", id);
    }
    assertThat(cluster.sent).as("one outstanding, the others queue").hasSize(1);
    cluster.deliver();
    assertThat(cluster.node("n2").reads).hasSize(200);
    assertThat(questions(cluster)).isEqualTo(2);
  }

  @Test
  void answerThatComesLateOrTwiceConfirmsNothingNewer() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    read(cluster, "n2", 1);
    cluster.deliver();
    assertThat(cluster.node("n2").reads).hasSize(1);
    cluster.isolate("n1");
    read(cluster, "n2", 2);
    cluster.step(new Envelope(N1, N2, 1, new Message.ReadIndexResponse(1, 1)));
    assertThat(cluster.node("n2").reads).hasSize(1);
  }

  @Test
  void lostQuestionOrAnswerIsMadeUpFor() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    read(cluster, "n2", 1);
    cluster.drop("n2", "n1");
    cluster.tickAll(4);
    assertThat(cluster.node("n2").reads).hasSize(1);
    read(cluster, "n2", 2);
    cluster.deliver("n2", "n1");
    cluster.deliver("n1", "n3");
    cluster.deliver("n3", "n1");
    cluster.drop("n1", "n2");
    cluster.tickAll(4);
    assertThat(cluster.node("n2").reads).hasSize(2);
    assertThat(cluster.node("n2").failedReads).isEmpty();
  }

  /** FAULTS F097: what was asked and what queues behind it, each once. */
  @Test
  void readsFailWhenNothingComesWithinAnElectionTimeout() {
    TestCluster cluster = new TestCluster(3, 1, config -> config).elect("n1");
    cluster.isolate("n4");
    read(cluster, "n4", 1);
    read(cluster, "n4", 2);
    cluster.tick("n4", 9);
    assertThat(cluster.node("n4").failedReads).isEmpty();
    cluster.tick("n4", 1);
    assertThat(cluster.node("n4").failedReads).containsExactly(1L);
    cluster.tick("n4", 10);
    assertThat(cluster.node("n4").failedReads).containsExactly(1L, 2L);
    assertThat(cluster.core("n4").status().pendingReads()).isZero();
  }

  /** FAULTS F097. */
  @Test
  void readsFailOnceWhenTheLeaderChanges() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.cut("n2", "n1");
    read(cluster, "n2", 1);
    read(cluster, "n2", 2);
    cluster.elect("n3");
    cluster.heal();
    cluster.tickAll(5);
    assertThat(cluster.node("n2").failedReads).containsExactly(1L, 2L);
    assertThat(cluster.node("n2").reads).isEmpty();
    read(cluster, "n2", 3);
    cluster.deliver();
    assertThat(cluster.node("n2").reads).hasSize(1);
  }

  @Test
  void readWithoutALeaderIsRefused() {
    TestCluster cluster = TestCluster.of(3);
    assertThat(read(cluster, "n2", 1)).isFalse();
    cluster.elect("n1");
    cluster.unreachable("n2", "n1");
    assertThat(read(cluster, "n2", 2)).isFalse();
  }

  @Test
  void nodeThatLeadsNoMoreSaysSo() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    cluster.tick("n1", 12);
    cluster.heal();
    read(cluster, "n2", 1);
    cluster.deliver();
    assertThat(cluster.node("n2").failedReads).containsExactly(1L);
  }

  /** With its one follower it is no majority, and that follower must not be misled. */
  @Test
  void deposedLeaderConfirmsNothing() {
    TestCluster cluster = TestCluster.of(5).elect("n1");
    for (String here : List.of("n1", "n2")) {
      for (String there : List.of("n3", "n4", "n5")) {
        cluster.cut(here, there);
        cluster.cut(there, here);
      }
    }
    read(cluster, "n2", 1);
    cluster.deliver();
    assertThat(cluster.node("n2").reads).isEmpty();
    assertThat(cluster.core("n1").read(2, ReadMode.FOLLOWER)).isTrue();
    cluster.tickAll(30);
    assertThat(cluster.node("n2").reads).isEmpty();
    assertThat(cluster.node("n2").failedReads).containsExactly(1L);
    assertThat(cluster.node("n1").failedReads).containsExactly(2L);
  }

  /** FAULTS F092, through a follower. */
  @Test
  void newLeaderConfirmsNothingBelowItsNoOp() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    cluster.unreachable("n3", "n1");
    cluster.campaign("n2");
    cluster.deliver("n2", "n3");
    cluster.deliver("n3", "n2");
    cluster.deliver("n2", "n3");
    cluster.deliver("n3", "n2");
    cluster.hold("n3");
    cluster.deliver();
    assertThat(cluster.core("n3").leader()).isEqualTo(N2);
    read(cluster, "n3", 7);
    cluster.deliver();
    assertThat(cluster.node("n3").reads).isEmpty();
    cluster.release("n3");
    cluster.tickAll(3);
    assertThat(cluster.node("n3").reads).containsExactly(new Ready.ReadState(7, 3));
  }

  /** FAULTS F098: nobody reads at index 0 after all have started again. */
  @Test
  void readAfterARestartOfAllSeesWhatWasAcknowledged() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.propose("n1", "x");
    cluster.tickAll(2);
    for (TestNode node : cluster.all()) {
      node.crash(0, 0);
      node.start();
    }
    cluster.elect("n3");
    read(cluster, "n1", 7);
    cluster.read("n3", 8);
    cluster.tickAll(2);
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(7, 3));
    assertThat(cluster.node("n3").reads).containsExactly(new Ready.ReadState(8, 3));
  }

  private static long questions(TestCluster cluster) {
    return cluster.sent.stream().filter(e -> e.message() instanceof Message.ReadIndex).count();
  }
}
