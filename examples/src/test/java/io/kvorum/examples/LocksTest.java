package io.kvorum.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import io.kvorum.simulator.junit.KvSim;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two locks in the simulator: it finds what is wrong with the one, and nothing in the other. */
@SuppressWarnings("FutureReturnValueIgnored") // What fails in a visit is missed by runUntil.
class LocksTest {
  private static final List<String> NAMES = List.of("ann", "bob", "cem");

  /** Within so many seeds the naive lock has to fail. */
  private static final int SEEDS_MAX = 50;

  // readme: simulator
  @KvSim(
      seeds = 100,
      storm = {Storm.KILL, Storm.PARTITION, Storm.PAUSE})
  void theTicketLockLetsOneInAtATime(SimCluster cluster) {
    Room room = new Room();
    for (String name : List.of("ann", "bob", "cem")) {
      TicketLock lock = new TicketLock(cluster.client(name), "door", name, cluster::after);
      visit(cluster, lock, room, name);
    }
    // Fails at once if two were inside; the storm is over after ten seconds.
    cluster.runUntil(() -> room.visits() >= 20, Duration.ofMinutes(2));
  }

  private static void visit(SimCluster cluster, TicketLock lock, Room room, String name) {
    lock.acquire()
        .thenAccept(
            ticket -> {
              room.enter(name);
              cluster.after(
                  Duration.ofMillis(300),
                  () -> {
                    room.leave(name);
                    lock.release(ticket).thenRun(() -> visit(cluster, lock, room, name));
                  });
            });
  }

  // readme: end

  @KvSim(
      seed = 1_000,
      seeds = 50,
      storm = {Storm.CLIENT_NETWORK, Storm.POWER, Storm.LEADER_CHANGE})
  void theTicketLockGoesOnAfterTheStorm(SimCluster cluster) {
    Room room = new Room();
    for (String name : NAMES) {
      TicketLock lock = new TicketLock(cluster.client(name), "door", name, cluster::after);
      visit(cluster, lock, room, name);
    }
    cluster.run(Duration.ofSeconds(10));
    int before = room.visits();
    cluster.runUntil(() -> room.visits() >= before + 10, Duration.ofMinutes(1));
  }

  @KvSim(seeds = 5)
  void aTicketThatIsHeldUpIsTakenOnceAndItsCopyStandsInNobodysWay(SimCluster cluster) {
    KvClient ann = cluster.client("ann");
    KvClient bob = cluster.client("bob");
    Bytes ticket = Bytes.utf8("door/ann/1");
    ann.blocking().get(ticket);
    String first = cluster.awaitLeader();
    String second = cluster.nodes().get(cluster.nodes().indexOf(first) == 0 ? 1 : 0);

    // What she sends is held up on its way to the leader, and sent again to the next one.
    cluster.faults().partition(List.of("ann"), List.of(first));
    CompletableFuture<Bytes> hers = new TicketLock(ann, "door", "ann", cluster::after).acquire();
    cluster.run(Duration.ofMillis(10));
    lead(cluster, second);
    assertThat(hers.join()).isEqualTo(ticket);
    ann.blocking().delete(ticket);

    // The old leader leads again when the first copy arrives.
    lead(cluster, first);
    cluster.faults().heal();
    cluster.run(Duration.ofMillis(10));
    assertThat(bob.blocking().get(ticket).keyValue()).as("it has had its effect").isEmpty();
    TicketLock his = new TicketLock(bob, "door", "bob", cluster::after);
    assertThat(his.acquire().orTimeout(10, TimeUnit.SECONDS).join())
        .isEqualTo(Bytes.utf8("door/bob/1"));
  }

  private static void lead(SimCluster cluster, String node) {
    cluster.faults().transferLeadership(node);
    cluster.runUntil(() -> cluster.leader().equals(Optional.of(node)), Duration.ofSeconds(5));
  }

  @Test
  void theSimulatorFindsThatTheNaiveLockLetsTwoIn() {
    long found = 0;
    Throwable failure = null;
    while (failure == null && found < SEEDS_MAX) {
      long seed = ++found;
      failure = catchThrowable(() -> runNaiveLock(seed));
    }

    System.out.println("NaiveLock: seed " + found + " lets two in: " + failure);
    assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("is inside");
    long seed = found;
    assertThatThrownBy(() -> runNaiveLock(seed))
        .as("the seed alone fails in the same way")
        .hasMessage(failure.getMessage());
  }

  private static void runNaiveLock(long seed) {
    try (SimCluster cluster = SimCluster.start(seed, 3)) {
      Room room = new Room();
      cluster.faults().storm(Duration.ofSeconds(10), Storm.KILL, Storm.PARTITION, Storm.PAUSE);
      for (String name : NAMES) {
        SplittableRandom random = new SplittableRandom(seed + name.hashCode());
        NaiveLock lock = new NaiveLock(cluster.client(name), "door", name);
        cluster.after(
            Duration.ofMillis(random.nextInt(2_000)),
            () -> visitNaively(cluster, lock, room, name, random));
      }
      cluster.runUntil(
          () -> room.visits() >= 20 || cluster.now().toSeconds() > 60, Duration.ofMinutes(2));
    }
  }

  private static void visitNaively(
      SimCluster cluster, NaiveLock lock, Room room, String name, SplittableRandom random) {
    Duration pause = Duration.ofMillis(100 + random.nextInt(1_000));
    Runnable again =
        () -> cluster.after(pause, () -> visitNaively(cluster, lock, room, name, random));
    lock.tryAcquire()
        .handle(
            (acquired, failure) -> {
              if (failure != null || !acquired) {
                again.run();
                return false;
              }
              room.enter(name);
              cluster.after(
                  Duration.ofMillis(300),
                  () -> {
                    room.leave(name);
                    lock.release().whenComplete((deleted, lost) -> again.run());
                  });
              return true;
            });
  }
}
