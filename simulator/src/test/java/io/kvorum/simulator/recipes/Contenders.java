package io.kvorum.simulator.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.client.recipes.Held;
import io.kvorum.client.recipes.Owner;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Processes that want the same thing again and again, under faults of the cluster and of their own:
 * cut off, paused, giving up in the middle. Whoever gets it is handed to the test, then holds it
 * for a while. A process that loses its lease goes on with a new one.
 */
final class Contenders {
  static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int PAUSE_MILLIS_MAX = 6_000;

  private final SimCluster cluster;
  private final SplittableRandom random;
  private final List<Contender> all = new ArrayList<>();
  private AssertionError failure;

  Contenders(SimCluster cluster) {
    this.cluster = cluster;
    this.random = new SplittableRandom(cluster.seed());
  }

  /** What a process asks for, and what the test does with what it got. */
  record Aim(Function<Owner, CompletableFuture<Held>> ask, Consumer<Held> got) {}

  /** Adds a process that wants it so many times. */
  void add(String name, int rounds, Aim aim) {
    all.add(new Contender(name, rounds, aim));
  }

  /**
   * Has them fight it out under faults, then in peace until each has had it as often as it wants.
   */
  void run(Storm... storm) {
    all.forEach(contender -> contender.ports = cluster.recipePorts(contender.name));
    cluster.faults().storm(Duration.ofSeconds(15), storm);
    for (int i = 0; i < 4; i++) {
      Contender paused = all.get(random.nextInt(all.size()));
      cluster.after(
          Duration.ofMillis(random.nextInt(15_000)),
          () ->
              cluster
                  .faults()
                  .pause(paused.name, Duration.ofMillis(random.nextInt(PAUSE_MILLIS_MAX))));
    }
    all.forEach(Contender::begin);
    cluster.runUntil(
        () -> failure != null || all.stream().allMatch(contender -> contender.rounds == 0), LONG);
    if (failure != null) {
      throw failure;
    }
  }

  /** Closes all owners; then nothing may be left below the prefix. */
  void endWithoutTraces(String prefix) {
    all.forEach(Contender::end);
    cluster.run(Duration.ofSeconds(20));
    List<KeyValue> left =
        cluster
            .await(cluster.client("judge").range(KeyRange.prefix(Bytes.utf8(prefix))))
            .keyValues();
    assertThat(left).isEmpty();
  }

  /** One process. */
  private final class Contender {
    private final String name;
    private final Aim aim;
    private RecipePorts ports;
    private int rounds;
    private Owner owner;

    Contender(String name, int rounds, Aim aim) {
      this.name = name;
      this.rounds = rounds;
      this.aim = aim;
    }

    void begin() {
      if (rounds == 0) {
        return;
      }
      var unused =
          Owner.open(ports, TTL)
              .whenComplete(
                  (opened, failure) -> {
                    if (opened == null) {
                      later(200, this::begin);
                    } else {
                      owner = opened;
                      again();
                    }
                  });
    }

    private void later(int millis, Runnable task) {
      ports.timers().after(Duration.ofMillis(millis), task);
    }

    private void again() {
      if (rounds == 0) {
        return;
      }
      CompletableFuture<Held> asked = aim.ask().apply(owner);
      if (random.nextInt(4) == 0) {
        later(random.nextInt(1_000), () -> asked.cancel(false));
      }
      var unused =
          asked.whenComplete(
              (held, failure) -> {
                if (held != null) {
                  hold(held);
                } else if (owner.isAlive()) {
                  later(random.nextInt(50), this::again);
                } else {
                  owner.close();
                  begin();
                }
              });
    }

    private void hold(Held held) {
      try {
        aim.got().accept(held);
      } catch (AssertionError wrong) {
        // The future that runs this would keep it to itself.
        failure = wrong;
      }
      later(
          random.nextInt(300),
          () -> {
            rounds--;
            var unused =
                held.release()
                    .whenComplete((nothing, failure) -> later(random.nextInt(100), this::next));
          });
    }

    private void next() {
      if (owner.isAlive()) {
        again();
      } else {
        owner.close();
        begin();
      }
    }

    void end() {
      owner.close();
    }
  }
}
