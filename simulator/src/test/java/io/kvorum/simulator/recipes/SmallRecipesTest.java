package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.client.recipes.Barrier;
import io.kvorum.client.recipes.ConfigSource;
import io.kvorum.client.recipes.Counter;
import io.kvorum.client.recipes.Owner;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Barrier, counter and settings. */
@ExtendWith(QuietNodes.class)
class SmallRecipesTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Bytes KEY = Bytes.utf8("k");

  private static Barrier barrier(SimCluster cluster, String name) {
    return Barrier.of(cluster.recipePorts(name), "k");
  }

  @KvSim(seeds = 3)
  void aBarrierHoldsBackAllUntilItIsLifted(SimCluster cluster) {
    Barrier barrier = barrier(cluster, "judge");
    barrier.await().join();
    barrier.lower().join();
    barrier.lower().join();
    assertThat(barrier.isDown().join()).isTrue();
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      waiting.add(barrier(cluster, name).await());
    }
    CompletableFuture<Void> given = barrier.await();
    given.cancel(false);
    cluster.faults().kill(cluster.awaitLeader());
    cluster.run(Duration.ofSeconds(5));
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    barrier.lift().join();
    barrier.lower().join();
    waiting.forEach(cluster::await);
  }

  @Test
  void aBarrierOnALeaseIsLiftedWithIt() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      Owner ann = Owner.open(cluster.recipePorts("ann"), TTL).join();
      barrier(cluster, "ann").lower(ann).join();
      CompletableFuture<Void> waiting = barrier(cluster, "bob").await();
      cluster.run(Duration.ofSeconds(6));
      assertThat(waiting).isNotDone();
      cluster.faults().partition(List.of("ann"), cluster.nodes());
      waiting.join();
    }
  }

  /** Who was cut off while the barrier was lifted and lowered, and history given up, goes on. */
  @Test
  void aBarrierThatWasLiftedUnseenLetsThrough() {
    try (SimCluster cluster = SimCluster.start(2, 3)) {
      Barrier barrier = barrier(cluster, "judge");
      barrier.lower().join();
      CompletableFuture<Void> waiting = barrier(cluster, "bob").await();
      cluster.run(Duration.ofSeconds(1));
      cluster.faults().partition(List.of("bob"), cluster.nodes());
      barrier.lift().join();
      barrier.lower().join();
      KvClient kv = cluster.client("judge");
      cluster.faults().compactHistory(kv.put(KEY, KEY).join().header().revision());
      cluster.run(Duration.ofSeconds(1));
      cluster.faults().heal();
      waiting.join();
      assertThat(barrier.isDown().join()).isTrue();
    }
  }

  /** What was certainly added is in the number once, what may have been, at most once. */
  @KvSim(seeds = 4)
  void aCounterCountsWhatWasAdded(SimCluster cluster) {
    int[] certain = new int[1];
    int[] possible = new int[1];
    for (int i = 0; i < 60; i++) {
      Counter counter = Counter.of(cluster.client("c" + i % 3), "k");
      cluster.after(
          Duration.ofMillis(100L * i),
          () -> {
            var unused =
                counter
                    .increment()
                    .whenComplete(
                        (number, failure) -> {
                          certain[0] += failure == null ? 1 : 0;
                          possible[0] +=
                              hasCause(failure, KvException.OutcomeUnknown.class) ? 1 : 0;
                        });
          });
    }
    cluster
        .faults()
        .storm(Duration.ofSeconds(6), Storm.KILL, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE);
    cluster.run(Duration.ofSeconds(20));
    long number = Counter.of(cluster.client("c0"), "k").value().join();
    assertThat(number).isBetween((long) certain[0], (long) certain[0] + possible[0]);
    assertThat(certain[0]).isGreaterThan(30);
  }

  private static boolean hasCause(Throwable failure, Class<?> type) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (type.isInstance(at)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void aCounterComparesAndAddsInTransactions() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      KvClient kv = cluster.client();
      Counter counter = Counter.of(kv, "k");
      assertThat(counter.value().join()).isZero();
      assertThat(counter.compareAndSet(0, -3).join()).isTrue();
      assertThat(counter.compareAndSet(0, 5).join()).isFalse();
      assertThat(counter.compareAndSet(-3, 0).join()).isTrue();
      assertThat(counter.compareAndSet(0, 7).join()).isTrue();
      Bytes other = Bytes.utf8("other");
      kv.txn(counter.add(Txn.of(Op.put(other, other)), 3)).join();
      assertThat(counter.add(-1).join()).isEqualTo(9);
      kv.put(KEY, KEY).join();
      assertThatThrownBy(() -> counter.value().join())
          .hasCauseInstanceOf(IllegalStateException.class);
    }
  }

  /** Writes down what it is told. */
  private record Heard(List<String> all) implements ConfigSource.Listener<Integer> {
    @Override
    public void changed(Integer value) {
      all.add("changed " + value);
    }

    @Override
    public void removed() {
      all.add("removed");
    }

    @Override
    public void refused(long revision, RuntimeException why) {
      all.add("refused " + why.getClass().getSimpleName());
    }
  }

  @Test
  void aSettingKeepsItsLastGoodValue() {
    try (SimCluster cluster = SimCluster.start(4, 3)) {
      KvClient kv = cluster.client("judge");
      Heard heard = new Heard(new ArrayList<>());
      ConfigSource<Integer> source =
          ConfigSource.of(
              cluster.recipePorts("ann"), "k", bytes -> Integer.valueOf(bytes.toUtf8()), heard);
      source.started().join();
      assertThat(source.value()).isEmpty();
      for (String value : List.of("1", "2", "two")) {
        kv.put(KEY, Bytes.utf8(value)).join();
        cluster.run(Duration.ofSeconds(1));
      }
      assertThat(source.require()).isEqualTo(2);
      kv.delete(KEY).join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(source.require()).isEqualTo(2);
      cluster.faults().partition(List.of("ann"), cluster.nodes());
      kv.put(KEY, Bytes.utf8("3")).join();
      long last = kv.put(KEY, Bytes.utf8("4")).join().header().revision();
      cluster.faults().compactHistory(last);
      cluster.run(Duration.ofSeconds(1));
      assertThat(source.require()).isEqualTo(2);
      cluster.faults().heal();
      cluster.runUntil(() -> source.require() == 4, Duration.ofSeconds(30));
      cluster.run(Duration.ofSeconds(1));
      assertThat(heard.all())
          .startsWith(
              "removed", "changed 1", "changed 2", "refused NumberFormatException", "removed")
          .endsWith("changed 4")
          .hasSizeLessThan(8);
      source.close();
    }
  }
}
