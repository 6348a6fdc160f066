package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.KvException;
import io.kvorum.api.LeaseStatus;
import io.kvorum.api.Leases;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.Semaphore;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** F132: an owner keeps its lease through all that passes, and is told once when it cannot. */
@ExtendWith(QuietNodes.class)
class OwnerTest {
  private static final Duration TTL = Duration.ofSeconds(5);

  private static Owner owner(SimCluster cluster, String name) {
    return Owner.open(cluster.recipePorts(name), TTL).join();
  }

  @KvSim(seeds = 2)
  void survivesNewLeadersRestartsAndAMomentOfSilence(SimCluster cluster) {
    List<Owner> owners = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Owner owner = owner(cluster, "ann");
      owner.onLost(lost::add);
      held.add(DistributedLock.of(owner, "lock-" + i).acquire().join());
      owners.add(owner);
    }
    for (String node : cluster.nodes()) {
      cluster.faults().kill(node);
      cluster.run(Duration.ofSeconds(2));
      cluster.faults().restart(node);
      cluster.run(Duration.ofSeconds(1));
    }
    cluster.faults().partition(List.of("ann"), cluster.nodes());
    cluster.run(Duration.ofSeconds(2));
    cluster.faults().heal();
    cluster.run(Duration.ofSeconds(3));
    assertThat(lost).isEmpty();
    assertThat(owners).allMatch(Owner::isAlive);
    assertThat(held).allMatch(Held::isHeld);
  }

  @KvSim(seeds = 4)
  void tellsAllThatHangsOnItOnceAndNotLaterThanItsLeaseCanEnd(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    List<String> told = new ArrayList<>();
    ann.onLost(why -> told.add("owner"));
    DistributedLock.of(ann, "a").acquire().join().onLost(why -> told.add("lock"));
    Semaphore.of(ann, "s", 1).acquire().join().onLost(why -> told.add("permit"));
    Held released = DistributedLock.of(ann, "b").acquire().join();
    released.onLost(why -> told.add("released"));
    released.release().join();
    ann.onLost(
        why -> {
          throw new IllegalStateException("a bug of the application");
        });
    cluster.faults().partition(List.of("ann"), cluster.nodes());
    Owner bob = owner(cluster, "bob");
    DistributedLock.of(bob, "a").acquire().join();
    assertThat(told).containsExactlyInAnyOrder("owner", "lock", "permit");
    cluster.faults().heal();
    cluster.run(TTL);
    assertThat(told).hasSize(3);
    ann.onLost(why -> told.add("late"));
    cluster.run(Duration.ofSeconds(1));
    assertThat(told).hasSize(4).contains("late");
  }

  /** A pause between the grant and the first renewal leaves no owner with a dead lease. */
  @KvSim(seeds = 12)
  void isOpenedWithALeaseThatIsKnownToLive(SimCluster cluster) {
    Leases leases = cluster.client("judge").leases();
    List<CompletableFuture<LeaseStatus>> looks = new ArrayList<>();
    CompletableFuture<Owner> opening =
        Owner.open(cluster.recipePorts("ann"), Duration.ofSeconds(2));
    var unused =
        opening.thenAccept(
            owner -> {
              if (owner.isAlive()) {
                looks.add(leases.status(owner.id()));
              }
            });
    cluster.after(
        Duration.ofNanos(cluster.seed() * 300_000),
        () -> cluster.faults().pause("ann", Duration.ofSeconds(4)));
    cluster.run(Duration.ofSeconds(12));
    assertThat(opening).isDone();
    looks.forEach(cluster::await);
  }

  @Test
  void endsItsLeaseWhenItIsClosedAndTellsNobody() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      Owner ann = owner(cluster, "ann");
      List<String> told = new ArrayList<>();
      Held held = DistributedLock.of(ann, "a").acquire().join();
      held.onLost(told::add);
      ann.end().join();
      ann.end().join();
      assertThat(held.isHeld()).isFalse();
      assertThat(cluster.client().get(held.key()).join().value()).isEmpty();
      cluster.run(TTL);
      assertThat(told).isEmpty();
      assertThat(ann.lost()).isNotDone();
    }
  }

  @Test
  void cannotBeOpenedWithoutACluster() {
    try (SimCluster cluster = SimCluster.start(2, 3)) {
      cluster.client("ann");
      cluster.faults().partition(List.of("ann"), cluster.nodes());
      assertThatThrownBy(() -> owner(cluster, "ann")).hasCauseInstanceOf(KvException.class);
    }
  }
}
