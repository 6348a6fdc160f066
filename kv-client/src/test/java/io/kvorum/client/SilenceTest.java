package io.kvorum.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetResult;
import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Servers that are dead, stopped or cut off, and connections that come and go (F108, F151). */
class SilenceTest {
  private final FakeCluster cluster = new FakeCluster();

  /** The connection is alive, the process is not: as after SIGSTOP. */
  @Test
  void aStoppedLeaderIsLeftForTheNextOne() {
    cluster.await(cluster.put("a"));
    cluster.n1.stopped = true;
    CompletableFuture<?> write = cluster.put("b");
    CompletableFuture<GetResult> read = cluster.client().get(FakeCluster.KEY);
    cluster.runMillis(500);
    cluster.n2.leader = cluster.n2;
    cluster.n3.leader = cluster.n2;
    Duration before = cluster.loop.elapsed();

    assertThat(cluster.failure(write))
        .isInstanceOf(KvException.OutcomeUnknown.class)
        .hasMessageContaining("silent");
    assertThat(cluster.await(read).value()).contains(Bytes.utf8("a"));
    assertThat(cluster.loop.elapsed().minus(before)).isLessThan(Duration.ofMillis(1_600));

    cluster.n1.resume();
    cluster.runMillis(10);
    assertThat(cluster.executions("b")).as("the stopped node may still do it, once").isOne();
  }

  @Test
  void aSlowServerThatAnswersProbesIsNotLeft() {
    cluster.n1.swallowsAnswers = true;
    CompletableFuture<?> put = cluster.put("a");
    assertThat(cluster.failure(put)).isInstanceOf(KvException.OutcomeUnknown.class);
    assertThat(cluster.n1.attempts).hasSize(1);
    assertThat(cluster.n1.received.stream().filter(frame -> frame.hasStatus()))
        .as("probes, one a second")
        .hasSizeBetween(3, 5);
  }

  /** Calls whose deadline is shorter than the silence must not hide it. */
  @Test
  void silenceIsNoticedAcrossShortCalls() {
    cluster.client(cluster.config().requestTimeout(Duration.ofMillis(300)));
    cluster.await(cluster.put("a"));
    cluster.n1.stopped = true;
    cluster.n2.leader = cluster.n2;
    cluster.n3.leader = cluster.n2;
    boolean moved = false;
    for (int i = 0; i < 12 && !moved; i++) {
      CompletableFuture<?> put = cluster.put("v" + i);
      cluster.runMillis(300);
      moved = put.isDone() && !put.isCompletedExceptionally();
    }
    assertThat(moved).isTrue();
  }

  @Test
  void anIdleConnectionIsNotProbed() {
    cluster.await(cluster.put("a"));
    long frames = cluster.n1.received.size();
    cluster.runMillis(3_600_000);
    assertThat(cluster.n1.received).hasSize((int) frames);
    cluster.await(cluster.put("b"));
    assertThat(cluster.n1.attempts).hasSize(1);
  }

  @Test
  void anEndpointThatSwallowsConnectionsDelaysButDoesNotStop() {
    cluster.n1.reach = FakeNode.Reach.UNREACHABLE;
    cluster.lead(cluster.n2);
    cluster.await(cluster.put("a"));
    assertThat(cluster.loop.elapsed()).isLessThan(Duration.ofMillis(1_100));
  }

  @Test
  void aServerThatDoesNotAnswerTheHelloIsLeft() {
    cluster.n1.stopped = true;
    cluster.lead(cluster.n2);
    cluster.await(cluster.put("a"));
    assertThat(cluster.loop.elapsed()).isLessThan(Duration.ofMillis(1_100));
  }

  /** All servers down for 60 s, then up: bounded attempts, no busy loop, and it works again. */
  @Test
  void aMinuteWithoutServersCostsFewAttempts() {
    cluster.await(cluster.put("first"));
    long before = cluster.attempts();
    cluster.nodes.forEach(FakeNode::kill);
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int second = 0; second < 60; second++) {
      calls.add(cluster.put("down" + second));
      cluster.runMillis(1_000);
    }
    // Steady state: each of 3 endpoints once in 0.5 to 1 s, so 60 to 120 times, after a quick
    // start.
    assertThat(cluster.attempts() - before).isBetween(120L, 400L);

    cluster.nodes.forEach(node -> node.reach = FakeNode.Reach.UP);
    CompletableFuture<?> put = cluster.put("up");
    Duration up = cluster.loop.elapsed();
    cluster.await(put);
    assertThat(cluster.loop.elapsed().minus(up)).isLessThan(Duration.ofMillis(1_100));
    cluster.runMillis(10_000);
    for (CompletableFuture<?> call : calls.subList(0, 50)) {
      assertThat(cluster.failure(call)).isExactlyInstanceOf(KvException.Unavailable.class);
    }
    assertThat(cluster.client().inflightCalls()).isZero();
    assertThat(cluster.client().inflightBytes()).isZero();
  }

  @Test
  void nobodyConnectsWhenNobodyAsks() {
    cluster.await(cluster.put("a"));
    cluster.nodes.forEach(FakeNode::kill);
    cluster.runMillis(100);
    long before = cluster.attempts();
    cluster.runMillis(60_000);
    assertThat(cluster.attempts()).isEqualTo(before);
  }

  /** Connections break again and again while calls are under way (F151). */
  @Test
  void aStormOfReconnectsLosesNoRead() {
    cluster.await(cluster.put("a"));
    for (int i = 0; i < 200; i++) {
      List<CompletableFuture<GetResult>> reads =
          IntStream.range(0, 5).mapToObj(j -> cluster.client().get(FakeCluster.KEY)).toList();
      cluster.loop.runFor(Duration.ofNanos(700_000L * (i % 7)));
      cluster.n1.cutConnections();
      reads.forEach(read -> assertThat(cluster.await(read).value()).contains(Bytes.utf8("a")));
      assertThat(cluster.network.connections()).hasSizeLessThanOrEqualTo(2);
    }
  }
}
