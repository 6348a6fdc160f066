package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Reads that may be old, by at most a bound, measured by the own clock alone. */
class StalenessTest {
  private static final long MILLI = TestCluster.MILLI_NANOS;

  private static boolean read(TestCluster cluster, String node, long id, long boundMillis) {
    return cluster.read(node, id, ReadMode.stale(boundMillis * MILLI));
  }

  /** A follower that has asked at this moment of its clock, and knows the answer. */
  private static TestCluster asked() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n2", 1, ReadMode.FOLLOWER);
    cluster.deliver();
    cluster.node("n2").reads.clear();
    cluster.sent.clear();
    return cluster;
  }

  @Test
  void followerAnswersAtOnceWithinTheBound() {
    TestCluster cluster = asked();
    cluster.node("n2").clockNanos += 50 * MILLI;
    read(cluster, "n2", 2, 50);
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(2, 1));
    assertThat(cluster.sent).isEmpty();
  }

  @Test
  void followerAsksBeyondTheBound() {
    TestCluster cluster = asked();
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.node("n2").clockNanos += 50 * MILLI + 1;
    read(cluster, "n2", 2, 50);
    assertThat(cluster.node("n2").reads).isEmpty();
    cluster.deliver();
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(2, 2));
  }

  /** The answer says what was committed when the question arrived, and nothing of later. */
  @Test
  void ageCountsFromTheQuestionNotFromTheAnswer() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n2", 1, ReadMode.FOLLOWER);
    cluster.node("n2").clockNanos += 40 * MILLI;
    cluster.deliver();
    assertThat(cluster.node("n2").reads).hasSize(1);
    cluster.node("n2").clockNanos += 10 * MILLI + 1;
    read(cluster, "n2", 2, 50);
    assertThat(cluster.node("n2").reads).hasSize(1);
  }

  /** What was committed stays so, whoever leads. */
  @Test
  void freshnessOutlivesTheLeader() {
    TestCluster cluster = asked();
    cluster.crash("n1");
    cluster.unreachable("n2", "n1");
    read(cluster, "n2", 2, 1);
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(2, 1));
    cluster.node("n2").clockNanos += 2 * MILLI;
    assertThat(read(cluster, "n2", 3, 1)).as("nobody to ask").isFalse();
  }

  @Test
  void leaderUsesItsRoundsAndItsLease() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.read("n1", 1);
    cluster.node("n1").clockNanos += 30 * MILLI;
    cluster.deliver();
    cluster.node("n1").clockNanos += 20 * MILLI;
    read(cluster, "n1", 2, 50);
    assertThat(cluster.node("n1").reads).hasSize(2);
    cluster.node("n1").clockNanos += 1;
    read(cluster, "n1", 3, 50);
    assertThat(cluster.node("n1").reads).as("the round began too long ago").hasSize(2);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).hasSize(3);

    TestCluster leased = new TestCluster(3, 0, c -> c.toBuilder().leaseReads(true).build());
    leased.elect("n1");
    read(leased, "n1", 1, 0);
    assertThat(leased.node("n1").reads).hasSize(1);
  }

  /** Without a bound nothing has to be known and nobody asked: also right after the start. */
  @Test
  void withoutABoundAnyNodeAnswersFromWhatItHas() {
    TestCluster cluster = TestCluster.of(3);
    assertThat(cluster.read("n2", 1, ReadMode.stale(Long.MAX_VALUE - 1))).isFalse();
    assertThat(cluster.read("n2", 2, ReadMode.stale(Long.MAX_VALUE))).isTrue();
    assertThat(cluster.node("n2").reads).containsExactly(new Ready.ReadState(2, 0));
    assertThat(cluster.sent).isEmpty();
  }

  /** A cut-off follower never says more than it knows. */
  @Test
  void isolatedFollowerStopsAnsweringWhenTheBoundIsOver() {
    TestCluster cluster = asked();
    cluster.isolate("n2");
    cluster.propose("n1", "x");
    cluster.deliver();
    int answered = 0;
    for (int i = 0; i < 20; i++) {
      cluster.node("n2").clockNanos += 10 * MILLI;
      read(cluster, "n2", 10 + i, 55);
      answered = cluster.node("n2").reads.size();
      assertThat(answered).isEqualTo(Math.min(i + 1, 5));
    }
    assertThat(answered).isEqualTo(5);
  }
}
