package io.kvorum.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.cli.process.LocalCluster;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.SystemClock;
import io.kvorum.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes under load, killed with SIGKILL: any one of three, again and again, and all of
 * them at once. No acknowledged write is missing, no read is stale, and every start works without a
 * hand (FAULTS F029, F108).
 */
class KillIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Enough to always have writes under way, and few enough that a node starts beside them. */
  private static final int WRITERS = 8;

  private static final int ONE_KILLS = Integer.getInteger("kvorum.kills", 8);
  private static final int ALL_KILLS = Integer.getInteger("kvorum.kills.all", 2);

  @TempDir Path directory;
  private LocalCluster cluster;
  private RemoteKvClient client;
  private Load load;

  @BeforeEach
  void start() throws InterruptedException {
    cluster = LocalCluster.withLogFiles(LocalCluster.Config.onFreePorts(directory, 3));
    cluster.startAll(LIMIT);
    client =
        RemoteKvClient.connect(
            ClientConfig.builder()
                .endpoints(String.join(",", cluster.endpoints()))
                .requestTimeout(Duration.ofSeconds(20))
                .build());
    load = new Load(client, new SystemClock(), WRITERS);
  }

  @AfterEach
  void close() {
    load.close();
    client.close();
    cluster.close();
  }

  @Test
  void anyOneOfThreeIsKilledAgainAndAgainUnderLoad() throws InterruptedException {
    long seed = Long.getLong("kvorum.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    load.start();
    for (int kill = 1; kill <= ONE_KILLS; kill++) {
      String victim = cluster.names().get(random.nextInt(3));
      awaitProgress("kill " + kill + ", of " + victim + "; -Dkvorum.seed=" + seed);
      cluster.kill9(victim);
      cluster.restart(victim, LIMIT);
    }
    checkAll(ONE_KILLS, "after " + ONE_KILLS + " kills; -Dkvorum.seed=" + seed);
  }

  @Test
  void allThreeAreKilledAtOnceAgainAndAgainUnderLoad() throws InterruptedException {
    load.start();
    for (int kill = 1; kill <= ALL_KILLS; kill++) {
      awaitProgress("kill " + kill + " of all");
      cluster.kill9All();
      cluster.startAll(LIMIT);
    }
    checkAll(ALL_KILLS, "after " + ALL_KILLS + " kills of all");
  }

  private void awaitProgress(String before) {
    long successes = load.successes();
    Await.until("50 more writes before " + before, LIMIT, () -> load.successes() > successes + 50);
  }

  private void checkAll(int kills, String when) throws InterruptedException {
    awaitProgress("the end, " + when);
    load.stop(LIMIT);
    load.readAll(LIMIT);
    Load.Tally tally = load.tally();
    assertThat(tally.acknowledged()).as("acknowledged writes %s", when).isGreaterThan(50L * kills);
    assertThat(tally.of(Counter.Verdict.LOST)).as("lost %s", when).isZero();
    assertThat(tally.of(Counter.Verdict.STALE)).as("stale %s", when).isZero();
    assertThat(tally.of(Counter.Verdict.WRONG)).as("wrong %s", when).isZero();
  }
}
