package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.ReadWriteLock;
import io.kvorum.client.recipes.Semaphore;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What more than one may hold: read locks and permits. */
@ExtendWith(QuietNodes.class)
class SharedLocksTest {
  private static final Storm[] STORM = {
    Storm.KILL, Storm.PARTITION, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE
  };

  private static Owner owner(SimCluster cluster, String name) {
    return Owner.open(cluster.recipePorts(name), Contenders.TTL).join();
  }

  private static DistributedLock reads(Owner owner) {
    return ReadWriteLock.of(owner, "rw").readLock();
  }

  private static DistributedLock writes(Owner owner) {
    return ReadWriteLock.of(owner, "rw").writeLock();
  }

  @KvSim(seeds = 6)
  void aWriterIsAloneWhateverHappens(SimCluster cluster) {
    List<Held> readers = new ArrayList<>();
    List<Held> writers = new ArrayList<>();
    Contenders contenders = new Contenders(cluster);
    for (String name : List.of("w1", "w2")) {
      contenders.add(
          name,
          3,
          new Contenders.Aim(
              owner -> writes(owner).acquire(),
              held -> {
                assertThat(readers).noneMatch(Held::isHeld);
                assertThat(writers).noneMatch(Held::isHeld);
                writers.add(held);
              }));
    }
    for (String name : List.of("r1", "r2", "r3")) {
      contenders.add(
          name,
          3,
          new Contenders.Aim(
              owner -> reads(owner).acquire(),
              held -> {
                assertThat(writers).noneMatch(Held::isHeld);
                readers.add(held);
              }));
    }
    contenders.run(STORM);
    contenders.endWithoutTraces("rw");
  }

  @KvSim(seeds = 6)
  void thereAreNeverMoreHoldersThanPermits(SimCluster cluster) {
    List<Held> holders = new ArrayList<>();
    Contenders contenders = new Contenders(cluster);
    for (String name : List.of("a", "b", "c", "d", "e")) {
      contenders.add(
          name,
          3,
          new Contenders.Aim(
              owner -> Semaphore.of(owner, "sem", 2).acquire(),
              held -> {
                assertThat(holders.stream().filter(Held::isHeld)).hasSizeLessThan(2);
                holders.add(held);
              }));
    }
    contenders.run(STORM);
    contenders.endWithoutTraces("sem");
  }

  @Test
  void readersShareAndNobodyOvertakesAWriter() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      Held r1 = reads(owner(cluster, "r1")).acquire().join();
      Held r2 = reads(owner(cluster, "r2")).acquire().join();
      CompletableFuture<Held> w = writes(owner(cluster, "w")).acquire();
      cluster.run(Duration.ofSeconds(1));
      CompletableFuture<Held> r3 = reads(owner(cluster, "r3")).acquire();
      r1.release().join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(w).isNotDone();
      assertThat(r3).isNotDone();
      r2.release().join();
      Held writer = w.join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(r3).isNotDone();
      writer.release().join();
      assertThat(r3.join().fencingToken()).isGreaterThan(writer.fencingToken());
    }
  }

  @Test
  void aWriterMayBecomeAReaderButNotTheOtherWayRound() {
    try (SimCluster cluster = SimCluster.start(2, 3)) {
      Owner ann = owner(cluster, "ann");
      Held writer = writes(ann).acquire().join();
      Held reader = reads(ann).acquire().join();
      Held again = writes(ann).tryAcquire().join().orElseThrow();
      writer.release().join();
      again.release().join();
      assertThat(reads(owner(cluster, "bob")).acquire().join().isHeld()).isTrue();
      assertThatThrownBy(() -> writes(ann).acquire().join())
          .hasCauseInstanceOf(IllegalStateException.class);
      reader.release().join();
      assertThat(writes(ann).tryAcquire().join()).isEmpty();
    }
  }

  @Test
  void permitsGoToWhoHasWaitedLongest() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      Owner ann = owner(cluster, "ann");
      Semaphore semaphore = Semaphore.of(ann, "sem", 2);
      Held one = semaphore.acquire().join();
      Held two = semaphore.acquire().join();
      assertThat(semaphore.tryAcquire().join()).isEmpty();
      List<CompletableFuture<Held>> waiting = new ArrayList<>();
      for (String name : List.of("b", "c", "d")) {
        waiting.add(Semaphore.of(owner(cluster, name), "sem", 2).acquire());
        cluster.run(Duration.ofSeconds(1));
      }
      CompletableFuture<Optional<Held>> late = semaphore.tryAcquire(Duration.ofSeconds(3));
      two.release().join();
      waiting.get(0).join();
      waiting.get(1).cancel(false);
      cluster.run(Duration.ofSeconds(1));
      assertThat(waiting.get(2)).isNotDone();
      one.release().join();
      waiting.get(2).join();
      assertThat(late.join()).isEmpty();
    }
  }
}
