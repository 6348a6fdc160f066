package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.client.recipes.Picker;
import io.kvorum.client.recipes.Registration;
import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceInstance.Health;
import io.kvorum.client.recipes.ServiceRegistry;
import io.kvorum.client.recipes.ServiceView;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The registry in simulated clusters. */
@ExtendWith(QuietNodes.class)
class ServiceRegistryTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final ServiceInstance ONE = ServiceInstance.of("one", "10.0.0.1:80");
  private static final ServiceInstance TWO = ServiceInstance.of("two", "[::1]:80 & more=é");

  private static ServiceRegistry registry(SimCluster cluster, String name) {
    return ServiceRegistry.of(cluster.recipePorts(name), "services");
  }

  private static Registration register(SimCluster cluster, String name, ServiceInstance instance) {
    Registration registration = registry(cluster, name).register("web", instance, TTL);
    registration.registered().join();
    return registration;
  }

  private static ServiceView view(SimCluster cluster) {
    ServiceView view = registry(cluster, "user").discover("web");
    view.started().join();
    return view;
  }

  @Test
  void whoRegistersIsFoundWithAllItSays() {
    try (SimCluster cluster = SimCluster.start(1, 3)) {
      ServiceInstance two = TWO.with("zone", "a=b&c").with("weight", "");
      ServiceView view = view(cluster);
      Registration one = register(cluster, "one", ONE);
      register(cluster, "two", two);
      registry(cluster, "two").register("webb", ONE, TTL).registered().join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(view.instances()).containsExactly(ONE, two);
      assertThat(registry(cluster, "two").instances("web").join()).containsExactly(ONE, two);
      one.update(ONE.withHealth(Health.DRAINING)).join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(view.instances()).containsExactly(ONE.withHealth(Health.DRAINING), two);
      assertThat(view.pick(Picker.roundRobin())).contains(two);
      one.end().join();
      cluster.run(Duration.ofSeconds(1));
      assertThat(view.instances()).containsExactly(two);
    }
  }

  @Test
  void picksGoRoundOrByChanceAmongThoseThatAreUp() {
    try (SimCluster cluster = SimCluster.start(2, 1)) {
      register(cluster, "one", ONE);
      register(cluster, "two", TWO);
      register(cluster, "three", ServiceInstance.of("three", "c").withHealth(Health.DOWN));
      ServiceView view = view(cluster);
      Picker inTurn = Picker.roundRobin();
      assertThat(view.pick(inTurn)).contains(ONE);
      assertThat(view.pick(inTurn)).contains(TWO);
      assertThat(view.pick(inTurn)).contains(ONE);
      Picker byChance = Picker.random(new SplittableRandom(1));
      List<ServiceInstance> picked = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        picked.add(view.pick(byChance).orElseThrow());
      }
      assertThat(picked).containsOnly(ONE, TWO).contains(ONE, TWO);
      assertThat(registry(cluster, "user").discover("none").pick(byChance)).isEmpty();
    }
  }

  @Test
  void aValueOfAnotherKindHidesNobody() {
    try (SimCluster cluster = SimCluster.start(3, 1)) {
      cluster.client().put(Bytes.utf8("services/web/aaa"), Bytes.utf8("{}")).join();
      cluster.client().put(Bytes.utf8("services/web/bbb"), Bytes.utf8("address=x&health=%")).join();
      register(cluster, "one", ONE);
      assertThat(view(cluster).instances()).containsExactly(ONE);
    }
  }

  /** F132: whoever was cut off or paused for longer than its lease is found again afterwards. */
  @KvSim(seeds = 4)
  void whoWasLostRegistersAgainWithWhatItSaidLast(SimCluster cluster) {
    Registration one = register(cluster, "one", ONE);
    ServiceView view = view(cluster);
    cluster.faults().partition(List.of("one"), cluster.nodes());
    cluster.runUntil(() -> view.instances().isEmpty(), Duration.ofSeconds(20));
    assertThat(one.isRegistered()).isFalse();
    ServiceInstance later = ONE.with("version", "2");
    CompletableFuture<Void> updated = one.update(later);
    cluster.run(Duration.ofSeconds(5));
    assertThat(updated).isNotDone();
    cluster.faults().heal();
    updated.join();
    cluster.run(Duration.ofSeconds(1));
    assertThat(view.instances()).containsExactly(later);
    cluster.faults().pause("one", Duration.ofSeconds(10));
    cluster.runUntil(() -> view.instances().isEmpty(), Duration.ofSeconds(9));
    cluster.runUntil(() -> view.instances().contains(later), Duration.ofSeconds(20));
  }

  /** Whoever takes the place of another one's id keeps it when that one ends. */
  @Test
  void theLastOneToRegisterAnIdHasIt() {
    try (SimCluster cluster = SimCluster.start(5, 3)) {
      Registration old = register(cluster, "old", ONE);
      ServiceInstance moved = ServiceInstance.of("one", "10.0.0.9:80");
      register(cluster, "new", moved);
      old.end().join();
      assertThat(view(cluster).instances()).containsExactly(moved);
    }
  }

  /** What was said last is what the registry has in the end, however calls have gone astray. */
  @KvSim(seeds = 6)
  void theLastUpdateWinsWhateverHappens(SimCluster cluster) {
    List<Registration> registrations = new ArrayList<>();
    for (String id : List.of("one", "two")) {
      registrations.add(registry(cluster, id).register("web", ServiceInstance.of(id, "0"), TTL));
    }
    List<List<ServiceInstance>> heard = new ArrayList<>();
    ServiceView view = registry(cluster, "user").discover("web", heard::add);
    cluster
        .faults()
        .storm(Duration.ofSeconds(10), Storm.KILL, Storm.CLIENT_NETWORK, Storm.LEADER_CHANGE);
    List<ServiceInstance> last = new ArrayList<>();
    for (Registration registration : registrations) {
      for (int i = 1; i <= 40; i++) {
        ServiceInstance update = ServiceInstance.of(registration.instance().id(), "" + i);
        cluster.after(
            Duration.ofMillis(250L * i),
            () -> {
              var unused = registration.update(update);
            });
        if (i == 40) {
          last.add(update);
        }
      }
    }
    cluster.run(Duration.ofSeconds(12));
    cluster.runUntil(
        () -> registrations.stream().allMatch(Registration::isRegistered), Duration.ofMinutes(1));
    cluster.run(Duration.ofSeconds(10));
    assertThat(view.instances()).isEqualTo(last);
    assertThat(heard).last().isEqualTo(last);
    registrations.forEach(Registration::close);
    cluster.runUntil(() -> view.instances().isEmpty(), Duration.ofSeconds(20));
  }
}
