package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KvException;
import io.kvorum.api.PutResult;
import io.kvorum.api.ReadConsistency;
import io.kvorum.protocol.Error;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How a client finds the leader and follows it. */
class RoutingTest {
  private final FakeCluster cluster = new FakeCluster();

  @Test
  void connectsOnlyWhenFirstUsed() {
    cluster.client();
    cluster.runMillis(10_000);
    assertThat(cluster.attempts()).isZero();

    cluster.await(cluster.put("a"));
    assertThat(cluster.executions("a")).isEqualTo(1);
    assertThat(cluster.attempts()).isEqualTo(1);
  }

  @Test
  void followsTheHelloToTheLeader() {
    cluster.lead(cluster.n3);
    cluster.await(cluster.put("a"));

    assertThat(cluster.n1.requests()).as("nothing is sent to a node that does not lead").isZero();
    assertThat(cluster.n2.attempts).isEmpty();
    assertThat(cluster.n3.requests()).isEqualTo(1);
    assertThat(cluster.loop.elapsed()).as("at once").isLessThan(Duration.ofMillis(10));
    cluster.runMillis(10);
    assertThat(cluster.n1.connections).as("unneeded connections are closed").isEmpty();
  }

  @Test
  void followsALeaderThatItWasNotTold() {
    cluster.lead(cluster.n3);
    cluster.client(cluster.config().endpoints("127.0.0.1:7401"));
    cluster.await(cluster.put("a"));
    assertThat(cluster.n3.requests()).isEqualTo(1);
  }

  @Test
  void followsNotLeaderAtOnceAndSendsTheWriteAgain() {
    cluster.await(cluster.put("a"));
    cluster.lead(cluster.n2);
    Duration before = cluster.loop.elapsed();
    cluster.await(cluster.put("b"));

    assertThat(cluster.executions("b")).isEqualTo(1);
    assertThat(cluster.n2.requests()).isEqualTo(1);
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(10));
  }

  @Test
  void triesTheOthersWhenTheLeadersEndpointIsUnknown() {
    cluster.lead(cluster.n3);
    cluster.nodes.forEach(node -> node.knowsLeaderEndpoint = false);
    cluster.await(cluster.put("a"));
    assertThat(cluster.n3.requests()).isEqualTo(1);
  }

  @Test
  void waitsForAnElection() {
    cluster.lead(null);
    CompletableFuture<?> put = cluster.put("a");
    cluster.runMillis(700);
    assertThat(put).isNotDone();
    cluster.lead(cluster.n2);
    Duration elected = cluster.loop.elapsed();
    cluster.await(put);
    assertThat(cluster.loop.elapsed().minus(elected)).isLessThan(Duration.ofMillis(700));
  }

  /** The one read that needs nobody to lead; the others wait all the same. */
  @Test
  void whatMayBeStaleIsAnsweredByAnyMemberWhileNobodyLeads() {
    cluster.await(cluster.put("a"));
    cluster.n1.kill();
    cluster.lead(null);
    cluster.nodes.forEach(node -> node.answersStale = true);
    GetOptions stale = GetOptions.DEFAULT.withConsistency(ReadConsistency.STALE);
    Duration before = cluster.loop.elapsed();
    CompletableFuture<GetResult> linearizable = cluster.client().get(FakeCluster.KEY);
    CompletableFuture<GetResult> past =
        cluster.client().get(FakeCluster.KEY, stale.withRevision(2));
    GetResult read = cluster.await(cluster.client().get(FakeCluster.KEY, stale));
    assertThat(read.value()).contains(Bytes.utf8("a"));
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(200));
    cluster.runMillis(1_000);
    assertThat(linearizable).isNotDone();
    assertThat(past).as("who does not lead may not have come so far").isNotDone();
    assertThat(cluster.n2.requests() + cluster.n3.requests()).isEqualTo(1);
  }

  /** A member that cannot answer is no reason to ask it again and again. */
  @Test
  void whatIsTooStaleWaitsForALeader() {
    cluster.lead(null);
    CompletableFuture<GetResult> read =
        cluster
            .client()
            .get(FakeCluster.KEY, GetOptions.DEFAULT.withConsistency(ReadConsistency.STALE));
    cluster.runMillis(2_000);
    assertThat(read).isNotDone();
    assertThat(cluster.attempts()).isBetween(3L, 40L);
    cluster.lead(cluster.n2);
    cluster.await(read);
  }

  @Test
  void aKilledLeaderIsLeftForTheNextOne() {
    cluster.await(cluster.put("a"));
    cluster.n1.kill();
    cluster.lead(cluster.n2);
    cluster.runMillis(1);
    Duration before = cluster.loop.elapsed();
    cluster.await(cluster.put("b"));
    assertThat(cluster.executions("b")).isEqualTo(1);
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(100));
  }

  /** The same must work the second, third, … time (FAULTS F108). */
  @Test
  void survivesManyLeaderDeaths() {
    for (int i = 0; i < 20; i++) {
      FakeNode leader = cluster.nodes.get(i % 3);
      cluster.nodes.forEach(node -> node.reach = FakeNode.Reach.UP);
      cluster.lead(leader);
      cluster.await(cluster.put("v" + i));
      assertThat(cluster.executions("v" + i)).isEqualTo(1);
      leader.kill();
      cluster.runMillis(50);
    }
  }

  /** Two nodes that name each other leader must not make the client run in circles. */
  @Test
  void nodesThatNameEachOtherAreNotAskedInALoop() {
    cluster.n1.leader = cluster.n2;
    cluster.n2.leader = cluster.n1;
    cluster.n3.kill();
    CompletableFuture<?> put = cluster.put("a");

    assertThat(cluster.failure(put)).isExactlyInstanceOf(KvException.Unavailable.class);
    assertThat(cluster.attempts()).isBetween(6L, 60L);
    assertThat(cluster.executions("a")).isZero();
  }

  /**
   * A thousand calls that come back from a deposed leader are one piece of news, not a thousand.
   */
  @Test
  void manyCallsOfADeposedLeaderMoveTogether() {
    cluster.await(cluster.put("first"));
    cluster.lead(cluster.n2);
    List<CompletableFuture<PutResult>> puts =
        IntStream.range(0, 1000)
            .mapToObj(i -> cluster.client().put(FakeCluster.KEY, Bytes.utf8("v" + i)))
            .toList();
    puts.forEach(cluster::await);
    assertThat(cluster.loop.elapsed()).isLessThan(Duration.ofMillis(100));
    assertThat(cluster.n2.attempts).hasSize(1);

    // And back: n1 was not punished a thousand times.
    cluster.lead(cluster.n1);
    cluster.runMillis(20);
    Duration before = cluster.loop.elapsed();
    cluster.await(cluster.put("last"));
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(20));
  }

  @Test
  void anotherClusterIsRefusedByName() {
    cluster.nodes.forEach(node -> node.clusterId = "other");
    cluster.client(cluster.config().clusterId("mine"));
    KvException failure = cluster.failure(cluster.put("a"));
    assertThat(failure)
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(KvException.Reason.WRONG_CLUSTER));
    assertThat(failure).hasMessageContaining("other").hasMessageContaining("mine");
    assertThat(cluster.attempts()).isEqualTo(3);
  }

  /** The client looks for itself; a careless server is not believed. */
  @Test
  void anotherClusterThatGreetsIsRefusedAllTheSame() {
    cluster.nodes.forEach(node -> node.clusterId = "other");
    cluster.nodes.forEach(node -> node.greetsAnyCluster = true);
    cluster.client(cluster.config().clusterId("mine"));
    assertThat(cluster.failure(cluster.put("a")))
        .isInstanceOf(KvException.Rejected.class)
        .hasMessageContaining("mine");
    assertThat(cluster.executions("a")).isZero();
  }

  @Test
  void oneForeignNodeDoesNotHideTheOthers() {
    cluster.n1.clusterId = "other";
    cluster.lead(cluster.n2);
    cluster.client(cluster.config().clusterId("c1"));
    cluster.await(cluster.put("a"));
    assertThat(cluster.executions("a")).isEqualTo(1);
  }

  /**
   * A client that was told no cluster stays with the one it met, whoever answers the port later.
   */
  @Test
  void staysWithTheClusterItMet() {
    cluster.await(cluster.put("a"));
    cluster.nodes.forEach(node -> node.clusterId = "reborn");
    cluster.nodes.forEach(FakeNode::cutConnections);
    KvException failure = cluster.failure(cluster.put("b"));
    assertThat(failure).isInstanceOf(KvException.Rejected.class).hasMessageContaining("reborn");
    assertThat(cluster.executions("b")).isZero();
  }

  @Test
  void aRefusedVersionIsUnsupported() {
    Error unsupported =
        Error.newBuilder()
            .setKind(Error.Kind.REJECTED)
            .setReason(Error.Reason.UNSUPPORTED)
            .setMessage("version 1 is no longer spoken")
            .build();
    cluster.nodes.forEach(node -> node.refusesHello = unsupported);
    assertThat(cluster.failure(cluster.put("a")))
        .isInstanceOfSatisfying(
            KvException.Rejected.class,
            rejected -> assertThat(rejected.reason()).isEqualTo(KvException.Reason.UNSUPPORTED));
  }

  @Test
  void statusAsksThatNodeItself() {
    assertThat(cluster.await(cluster.client().status(Endpoint.parse("127.0.0.1:7402"))).nodeId())
        .isEqualTo("n2");
    cluster.n2.kill();
    cluster.runMillis(5);
    Duration before = cluster.loop.elapsed();
    List<EndpointStatus> all = cluster.await(cluster.client().status());

    assertThat(all).hasSize(3);
    assertThat(all.get(0).status().orElseThrow().nodeId()).isEqualTo("n1");
    assertThat(all.get(1).failure().orElseThrow())
        .isExactlyInstanceOf(KvException.Unavailable.class)
        .hasMessageContaining("127.0.0.1:7402");
    assertThat(all.get(2).status().orElseThrow().endpoint()).isEqualTo("127.0.0.1:7403");
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(20));
    cluster.runMillis(10);
    assertThat(cluster.network.connections()).as("asked and closed").isEmpty();
  }
}
