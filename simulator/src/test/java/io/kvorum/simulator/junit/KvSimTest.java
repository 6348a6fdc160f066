package io.kvorum.simulator.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimCluster;
import io.kvorum.simulator.Storm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@ExtendWith(QuietNodes.class)
class KvSimTest {
  private static final Bytes KEY = Bytes.utf8("key");
  private static final Bytes VALUE = Bytes.utf8("value");

  /** What the runs of {@link Subject} have left behind. */
  private static final List<String> SEEN = new ArrayList<>();

  private final Map<String, String> given = new LinkedHashMap<>();

  /** What the command line says holds for this class, not for what it runs. */
  @BeforeEach
  void forgetTheCommandLine() {
    for (String property : List.of("kvorum.seed", "kvorum.seeds")) {
      given.put(property, System.getProperty(property, ""));
      System.clearProperty(property);
    }
  }

  @AfterEach
  void restoreTheCommandLine() {
    given.forEach(System::setProperty);
  }

  @KvSim(seeds = 3, nodes = 5)
  void aTestGetsAClusterOfItsOwnForEachSeed(
      SimCluster cluster, KvClient kv, BlockingKvClient blocking) {
    assertThat(cluster.nodes()).hasSize(5);
    assertThat(kv.get(KEY).join().keyValue()).isEmpty();
    assertThat(blocking.put(KEY, VALUE).header().revision()).isEqualTo(2);
    assertThat(cluster.client().blocking().get(KEY).value()).contains(VALUE);
  }

  @KvSim(
      seed = 100,
      seeds = 5,
      storm = {Storm.KILL, Storm.PARTITION, Storm.POWER},
      recovery = true)
  void whatWasPutIsReadWhateverHappens(SimCluster cluster, BlockingKvClient kv) {
    List<Bytes> acknowledged = new ArrayList<>();
    while (cluster.now().compareTo(Duration.ofSeconds(12)) < 0) {
      Bytes key = Bytes.utf8("k" + acknowledged.size());
      try {
        kv.put(key, VALUE);
        acknowledged.add(key);
      } catch (KvException failed) {
        cluster.run(Duration.ofMillis(100));
      }
    }
    assertThat(acknowledged).hasSizeGreaterThan(50);
    acknowledged.forEach(key -> assertThat(kv.get(key).value()).contains(VALUE));
  }

  /** What became of the runs of one method: by display name, in order; and of the whole. */
  private static final class Outcome implements TestExecutionListener {
    private final Map<String, TestExecutionResult> runs = new LinkedHashMap<>();
    private final List<Throwable> failures = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      if (identifier.isTest()) {
        runs.put(identifier.getDisplayName(), result);
      }
      result.getThrowable().ifPresent(failures::add);
    }

    private List<Status> statuses() {
      return runs.values().stream().map(TestExecutionResult::getStatus).toList();
    }

    private Throwable failure() {
      assertThat(failures).hasSize(1);
      return failures.get(0);
    }
  }

  private static Outcome run(String method) {
    SEEN.clear();
    Outcome outcome = new Outcome();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Subject.class, method, SimCluster.class))
                .filters(EngineFilter.includeEngines("junit-jupiter"))
                .build(),
            outcome);
    return outcome;
  }

  @Test
  void eachRunIsNamedAfterItsSeed() {
    Outcome outcome = run("keepsItsHash");

    assertThat(outcome.runs.keySet()).containsExactly("seed 17", "seed 18");
    assertThat(outcome.statuses()).containsOnly(Status.SUCCESSFUL);
  }

  @Test
  void theSameSeedHasTheSameTrace() {
    Outcome unused = run("keepsItsHash");
    List<String> first = List.copyOf(SEEN);
    Outcome again = run("keepsItsHash");

    assertThat(again.failures).isEmpty();
    assertThat(SEEN).isEqualTo(first).doesNotHaveDuplicates().hasSize(2);
  }

  @Test
  void aFailureEndsWithTheLineThatReplaysItAndNoOtherSeedRuns() {
    Outcome outcome = run("failsForSeedEight");
    Throwable failure = outcome.failure();

    assertThat(outcome.statuses()).containsExactly(Status.SUCCESSFUL, Status.FAILED);
    assertThat(failure)
        .hasMessageStartingWith("seed 8 failed: java.lang.IllegalStateException: eight")
        .hasMessageEndingWith(
            "\n  replay: @KvSim(seed = 8, nodes = 1, storm = {Storm.PAUSE}, stormMillis = 500)"
                + " or -Dkvorum.seed=8")
        .hasCauseInstanceOf(IllegalStateException.class);
    System.setProperty("kvorum.seed", "8");
    Outcome replayed = run("failsForSeedEight");
    assertThat(replayed.runs.keySet()).containsExactly("seed 8");
    assertThat(replayed.failure()).hasMessage(failure.getMessage());
  }

  @Test
  void theCommandLineSaysWhichSeedsRun() {
    System.setProperty("kvorum.seeds", "5");
    assertThat(run("keepsItsHash").runs).hasSize(5);
    System.setProperty("kvorum.seed", "8x");
    assertThat(run("keepsItsHash").failure())
        .hasMessageContaining("-Dkvorum.seed is no number: 8x");
  }

  @Test
  void whatATaskThrowsFailsTheTest() {
    assertThat(run("throwsInATask").failure()).hasMessageContaining("of the task");
  }

  @Test
  void anAssumptionIsNoFailure() {
    assertThat(run("assumesTooMuch").statuses()).containsExactly(Status.ABORTED);
  }

  /** Run by the tests above only: its name does not end as those of tests do. */
  static final class Subject {
    @KvSim(seed = 17, seeds = 2, storm = Storm.KILL)
    void keepsItsHash(SimCluster cluster) {
      var unused = cluster.client().put(KEY, VALUE);
      cluster.run(Duration.ofSeconds(10));
      SEEN.add(cluster.traceHash());
    }

    @KvSim(seed = 7, seeds = 3, nodes = 1, storm = Storm.PAUSE, stormMillis = 500)
    void failsForSeedEight(SimCluster cluster) {
      if (cluster.seed() == 8) {
        throw new IllegalStateException("eight");
      }
    }

    @KvSim
    void throwsInATask(SimCluster cluster) {
      cluster.after(
          Duration.ofSeconds(1),
          () -> {
            throw new IllegalStateException("of the task");
          });
      cluster.run(Duration.ofSeconds(2));
    }

    @KvSim
    void assumesTooMuch(SimCluster cluster) {
      Assumptions.assumeTrue(cluster.nodes().isEmpty());
    }
  }
}
