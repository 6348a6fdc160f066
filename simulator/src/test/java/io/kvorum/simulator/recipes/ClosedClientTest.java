package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.client.recipes.Candidacy;
import io.kvorum.client.recipes.DistributedLock;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.LeaderElection;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.OwnershipLostException;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.client.recipes.Registration;
import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceRegistry;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;

/** Somebody closes the client under recipes whose listeners know nothing of it. */
@ExtendWith(QuietNodes.class)
class ClosedClientTest {
  private static final Duration TTL = Duration.ofSeconds(5);
  private static final String WHY = "the client was closed";

  @KvSim(seeds = 4)
  void allThatRestsOnItIsToldOnceBeforeAnybodyElseHasIt(SimCluster cluster) {
    RecipePorts ports = cluster.recipePorts("ann");
    Owner ann = Owner.open(ports, TTL).join();
    Owner closed = Owner.open(ports, TTL).join();
    List<String> told = new ArrayList<>();
    ann.onLost(why -> told.add("owner: " + why));
    Held held = DistributedLock.of(ann, "lock").acquire().join();
    held.onLost(why -> told.add("lock: " + why));
    closed.onLost(why -> told.add("closed: " + why));
    closed.end().join();
    DistributedLock.of(Owner.open(cluster.recipePorts("bob"), TTL).join(), "other")
        .acquire()
        .join();
    CompletableFuture<Held> waiting = DistributedLock.of(ann, "other").acquire();
    List<String> terms = new ArrayList<>();
    Candidacy candidacy =
        LeaderElection.of(ports, "election").stand(TTL, Bytes.EMPTY, new Terms(terms));
    cluster.runUntil(() -> candidacy.leadership().isPresent(), TTL);
    cluster.client("ann").close();
    cluster.client("ann").close();
    cluster.run(Duration.ofMillis(100));
    assertThat(held.isHeld()).isFalse();
    assertThat(ann.isAlive()).isFalse();
    assertThat(candidacy.leadership()).isEmpty();
    assertThat(told).containsExactlyInAnyOrder("owner: " + WHY, "lock: " + WHY);
    assertThat(terms).hasSize(2).last().asString().startsWith("lost").endsWith(WHY);
    assertThatThrownBy(waiting::join).hasRootCauseInstanceOf(OwnershipLostException.class);
    Owner bob = Owner.open(cluster.recipePorts("bob"), TTL).join();
    assertThat(DistributedLock.of(bob, "lock").acquire().join().isHeld()).isTrue();
    assertThat(told).hasSize(2);
    assertThat(terms).hasSize(2);
  }

  /** What opens owners again and again ends, whether it has one or not. */
  @KvSim(seeds = 4)
  void nobodyTriesForEver(SimCluster cluster) {
    AtomicInteger timers = new AtomicInteger();
    RecipePorts ports = cluster.recipePorts("ann");
    RecipePorts counted =
        ports.withTimers(
            (delay, task) -> {
              timers.incrementAndGet();
              ports.timers().after(delay, task);
            });
    ServiceRegistry registry = ServiceRegistry.of(counted, "services");
    Registration had = registry.register("web", ServiceInstance.of("one", "a:1"), TTL);
    had.registered().join();
    cluster.faults().partition(List.of("ann"), cluster.nodes());
    Registration none = registry.register("web", ServiceInstance.of("two", "a:2"), TTL);
    CompletableFuture<Void> updated = had.update(ServiceInstance.of("one", "a:3"));
    cluster.run(Duration.ofSeconds(2));
    cluster.client("ann").close();
    cluster.run(TTL);
    assertThat(had.isRegistered()).isFalse();
    assertThatThrownBy(updated::join).hasRootCauseInstanceOf(KvException.ClientClosed.class);
    assertThatThrownBy(() -> none.registered().join())
        .hasRootCauseInstanceOf(KvException.ClientClosed.class);
    int before = timers.get();
    cluster.run(TTL.multipliedBy(2));
    assertThat(timers).hasValue(before);
  }

  /** Renewals of a client that is closed already are asked for, too. */
  @KvSim(seeds = 2)
  void whoComesTooLateIsToldAsWell(SimCluster cluster) {
    RecipePorts ports = cluster.recipePorts("ann");
    CompletableFuture<Owner> opening = Owner.open(ports, TTL);
    cluster.client("ann").close();
    assertThatThrownBy(opening::join).isNotNull();
    List<String> lost = new ArrayList<>();
    var kept = cluster.client("ann").leases().keepAlive(7, (id, why) -> lost.add(why));
    cluster.run(Duration.ofSeconds(1));
    assertThat(kept.isAlive()).isFalse();
    assertThat(lost).containsExactly(WHY);
    assertThatThrownBy(() -> Owner.open(ports, TTL).join())
        .hasRootCauseInstanceOf(KvException.ClientClosed.class);
  }
}
