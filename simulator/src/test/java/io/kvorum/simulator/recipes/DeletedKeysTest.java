package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.client.recipes.Candidacy;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.LeaderElection;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.ReadWriteLock;
import io.kvorum.client.recipes.Registration;
import io.kvorum.client.recipes.Semaphore;
import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceRegistry;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Somebody deletes the keys of others, whose leases live on: {@code kvorum del --prefix}. */
@ExtendWith(QuietNodes.class)
class DeletedKeysTest {
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofSeconds(1);

  private static Owner owner(SimCluster cluster, String name) {
    return Owner.open(cluster.recipePorts(name), TTL).join();
  }

  private static DistributedLock lock(Owner owner) {
    return DistributedLock.of(owner, "all/lock");
  }

  private static void deleteAll(SimCluster cluster) {
    KvClient judge = cluster.client("judge");
    assertThat(judge.deleteRange(KeyRange.prefix(Bytes.utf8("all/"))).join().deleted())
        .isPositive();
  }

  private static List<String> told(Held held) {
    List<String> told = new ArrayList<>();
    held.onLost(told::add);
    return told;
  }

  @KvSim(seeds = 4)
  void whoHeldIsToldOnceAndWaitsForTheNextOneLikeAnybody(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    Held first = lock(ann).acquire().join();
    List<String> told = told(first);
    cluster.run(SOON);
    deleteAll(cluster);
    Held second = lock(owner(cluster, "bob")).acquire().join();
    CompletableFuture<Held> third = lock(ann).acquire();
    cluster.run(SOON);
    assertThat(first.isHeld()).isFalse();
    assertThat(told).singleElement().asString().contains("all/lock").contains("deleted");
    assertThat(ann.isAlive()).isTrue();
    assertThat(second.isHeld()).isTrue();
    assertThat(third).isNotDone();
    first.release().join();
    second.release().join();
    assertThat(third.join().isHeld()).isTrue();
    assertThat(third.join().fencingToken()).isGreaterThan(second.fencingToken());
    cluster.run(SOON);
    assertThat(told).hasSize(1);
  }

  /** Who asks again is granted nothing that it has only heard of. */
  @KvSim(seeds = 4)
  void whoAsksAgainBeforeItHasHeardIsNotGrantedTheLock(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    Owner bob = owner(cluster, "bob");
    Held first = lock(ann).acquire().join();
    deleteAll(cluster);
    Held other = lock(bob).acquire().join();
    assertThat(lock(ann).tryAcquire().join()).isEmpty();
    assertThat(first.isHeld()).isFalse();
    assertThat(other.isHeld()).isTrue();
  }

  /** Nobody leaves a place that somebody of the same owner is about to be given again. */
  @KvSim(seeds = 4)
  void whoLetsGoWhileTheSameOwnerAsksAgainLeavesItTheLock(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    Held first = lock(ann).acquire().join();
    CompletableFuture<Held> next = lock(owner(cluster, "bob")).acquire();
    cluster.run(SOON);
    CompletableFuture<Held> again = lock(ann).acquire();
    first.release().join();
    assertThat(again.join().fencingToken()).isEqualTo(first.fencingToken());
    assertThat(next).isNotDone();
    CompletableFuture<Held> givenUp = lock(ann).acquire();
    again.join().release().join();
    givenUp.cancel(false);
    assertThat(next.join().isHeld()).isTrue();
  }

  @KvSim(seeds = 2)
  void theSameIsSoForReadersWritersAndPermits(SimCluster cluster) {
    Owner ann = owner(cluster, "ann");
    List<Held> held = new ArrayList<>();
    held.add(Semaphore.of(ann, "all/permits", 2).acquire().join());
    held.add(Semaphore.of(ann, "all/permits", 2).acquire().join());
    held.add(ReadWriteLock.of(ann, "all/read").readLock().acquire().join());
    held.add(ReadWriteLock.of(ann, "all/written").writeLock().acquire().join());
    List<List<String>> told = held.stream().map(DeletedKeysTest::told).toList();
    cluster.run(SOON);
    assertThat(held).allMatch(Held::isHeld);
    deleteAll(cluster);
    cluster.run(SOON);
    assertThat(held).noneMatch(Held::isHeld);
    assertThat(told).allMatch(reasons -> reasons.size() == 1);
  }

  /** The watch of the key cannot go on where it was, with and without a deletion unseen. */
  @KvSim(seeds = 4)
  void aDeletionThatWasCompactedAwayIsNoticed(SimCluster cluster) {
    Held held = lock(owner(cluster, "ann")).acquire().join();
    List<String> told = told(held);
    cluster.run(SOON);
    KvClient judge = cluster.client("judge");
    for (int i = 0; i < 2; i++) {
      assertThat(held.isHeld()).isTrue();
      assertThat(told).isEmpty();
      cluster.faults().partition(List.of("ann"), cluster.nodes());
      if (i == 1) {
        deleteAll(cluster);
      }
      judge.put(Bytes.utf8("x"), Bytes.EMPTY).join();
      judge.compact(judge.put(Bytes.utf8("x"), Bytes.EMPTY).join().header().revision()).join();
      cluster.run(Duration.ofSeconds(10));
      cluster.faults().heal();
      cluster.run(Duration.ofSeconds(8));
    }
    assertThat(held.isHeld()).isFalse();
    assertThat(told).hasSize(1);
  }

  @KvSim(seeds = 4)
  void aLeaderWhoseKeyIsDeletedLosesItsTermAndStandsAgain(SimCluster cluster) {
    List<String> terms = new ArrayList<>();
    LeaderElection election = LeaderElection.of(cluster.recipePorts("ann"), "all/election");
    Candidacy ann = election.stand(TTL, Bytes.utf8("ann"), new Terms(terms));
    cluster.runUntil(() -> ann.leadership().isPresent(), TTL);
    Candidacy bob =
        LeaderElection.of(cluster.recipePorts("bob"), "all/election")
            .stand(TTL, Bytes.utf8("bob"), new Terms(new ArrayList<>()));
    cluster.run(SOON);
    KvClient judge = cluster.client("judge");
    judge.delete(election.leader().join().map(leader -> key(leader.lease())).orElseThrow()).join();
    cluster.run(SOON);
    assertThat(ann.leadership()).isEmpty();
    assertThat(bob.leadership()).isPresent();
    assertThat(terms).hasSize(2);
    assertThat(terms.get(1)).startsWith("lost").contains("deleted");
    bob.end().join();
    cluster.run(SOON);
    assertThat(ann.leadership()).isPresent();
    assertThat(terms).hasSize(3);
  }

  private static Bytes key(long lease) {
    return Bytes.utf8("all/election/" + Long.toHexString(lease));
  }

  /** A term whose owner was lost is released late, when the next one has begun. */
  @Test
  void aTermThatIsLetGoLateDoesNotEndTheNextOne() {
    try (SimCluster cluster = SimCluster.start(3, 3)) {
      List<String> terms = new ArrayList<>();
      Terms listener = new Terms(terms);
      LeaderElection election = LeaderElection.of(cluster.recipePorts("ann"), "all/election");
      Candidacy ann = election.stand(Duration.ofSeconds(3), Bytes.EMPTY, listener);
      cluster.runUntil(() -> ann.leadership().isPresent(), TTL);
      var first = ann.leadership().orElseThrow();
      cluster.faults().expireLease(election.leader().join().orElseThrow().lease());
      cluster.runUntil(() -> !first.isLeading() && ann.leadership().isPresent(), TTL);
      cluster.run(SOON);
      first.close();
      cluster.run(SOON);
      assertThat(ann.leadership()).isPresent();
      assertThat(terms).hasSize(3).last().asString().startsWith("elected");
    }
  }

  @KvSim(seeds = 4)
  void aRegistrationThatIsDeletedIsMadeAgain(SimCluster cluster) {
    ServiceInstance one = ServiceInstance.of("one", "a:1");
    ServiceRegistry registry = ServiceRegistry.of(cluster.recipePorts("ann"), "all");
    Registration registration = registry.register("web", one, TTL);
    registration.registered().join();
    for (int i = 0; i < 3; i++) {
      deleteAll(cluster);
      cluster.run(SOON);
      assertThat(registry.instances("web").join()).containsExactly(one);
      assertThat(registration.isRegistered()).isTrue();
    }
    deleteAll(cluster);
    ServiceInstance later = one.withHealth(ServiceInstance.Health.DRAINING);
    registration.update(later).join();
    cluster.run(SOON);
    assertThat(registry.instances("web").join()).containsExactly(later);
    registration.end().join();
    cluster.run(SOON);
    assertThat(registry.instances("web").join()).isEmpty();
  }

  /** It does not fight for its id, also not when the other one has gone. */
  @Test
  void aRegistrationThatWasReplacedKnowsAndStaysAway() {
    try (SimCluster cluster = SimCluster.start(4, 3)) {
      ServiceInstance here = ServiceInstance.of("one", "a:1");
      ServiceRegistry registry = ServiceRegistry.of(cluster.recipePorts("ann"), "all");
      Registration old = registry.register("web", here, TTL);
      old.registered().join();
      Registration other =
          ServiceRegistry.of(cluster.recipePorts("bob"), "all")
              .register("web", ServiceInstance.of("one", "b:1"), TTL);
      other.registered().join();
      cluster.run(SOON);
      assertThat(old.isRegistered()).isFalse();
      assertThat(other.isRegistered()).isTrue();
      other.end().join();
      cluster.run(SOON);
      assertThat(registry.instances("web").join()).isEmpty();
      old.update(here).join();
      assertThat(old.isRegistered()).isTrue();
      assertThat(registry.instances("web").join()).containsExactly(here);
    }
  }
}
