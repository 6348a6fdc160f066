package io.kvorum.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.Simulation;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Of {@link RocksUniverse}. */
@ExtendWith(QuietNodes.class)
class RocksUniverseTest {
  /** In 12, power is lost in the middle of a scan. */
  private static final long[] SEEDS = {12, 500, 501, 502, 503};

  private static final Duration WITHIN = Duration.ofSeconds(30);

  @TempDir Path directory;

  /** Over RocksDB nobody takes snapshots: the disks of a run cannot link its files. */
  private static SimPlan drawn(long seed) {
    SimPlan plan = Plans.draw(seed);
    SimOptions options = plan.options();
    return new SimPlan(
        seed, options.withTuning(options.tuning().withSnapshots(Snapshotting.NONE)), plan.faults());
  }

  @Test
  void drawnPlansKeepAllPromisesAndHaveTheSameTraceAsOverMemory() {
    RocksUniverse universe = new RocksUniverse(directory);
    for (long seed : SEEDS) {
      SimPlan plan = drawn(seed);

      SimResult result = universe.run(plan, Checkers.all(), false);

      assertThat(result.violation()).as(Lines.replay("--seed " + seed, true)).isNull();
      assertThat(result.traceHash())
          .as(Lines.replay("--seed " + seed, true))
          .isEqualTo(Simulation.run(plan, List.of(), false).traceHash());
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aRunThatFailsLeavesNoFiles() {
    RocksUniverse universe = new RocksUniverse(directory);
    List<Boolean> hadFiles = new ArrayList<>();

    SimResult result =
        universe.run(
            Plans.draw(SEEDS[0]),
            List.of(
                new AtFirstApplied(
                    () -> {
                      hadFiles.add(directory.toFile().list().length == 1);
                      throw new Violation("AtFirstApplied", "something is applied");
                    })),
            false);

    assertThat(result.violation()).hasMessage("something is applied");
    assertThat(hadFiles).containsExactly(true);
    assertThat(directory).isEmptyDirectory();
  }

  /** As when the command is interrupted. */
  @Test
  void closingLeavesNoFilesOfTheRunThatIsUnderWayAndItIsNotToldAsAFailure() {
    RocksUniverse universe = new RocksUniverse(directory);
    CountDownLatch underWay = new CountDownLatch(1);
    AtomicReference<SimResult> result = new AtomicReference<>();
    Thread run =
        new Thread(
            () ->
                result.set(
                    universe.runWhatever(
                        Plans.draw(SEEDS[0]),
                        List.of(new AtFirstApplied(underWay::countDown)),
                        false)));
    run.setDaemon(true);
    run.start();
    Await.until("a run that is under way", WITHIN, () -> underWay.getCount() == 0);

    universe.close();

    assertThat(directory).isEmptyDirectory();
    Await.until("the run waits", WITHIN, () -> run.getState() == Thread.State.WAITING);
    assertThat(result).hasNullValue();
  }

  /** As RocksDB does, whose threads may outlive its tables for a moment. */
  @Test
  void filesMayVanishWhileTheirDirectoryIsRemoved() throws Exception {
    for (int round = 0; round < 5; round++) {
      Path removed = Files.createDirectory(directory.resolve("removed-" + round));
      for (int i = 0; i < 1_000; i++) {
        Files.createFile(removed.resolve("file-" + i));
      }
      Thread other =
          new Thread(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  removed.resolve("file-" + i).toFile().delete();
                }
              });
      other.start();

      RocksUniverse.remove(removed);

      other.join();
      assertThat(removed).doesNotExist();
    }
  }

  /** Does something once, in the middle of a run. */
  private static final class AtFirstApplied implements Checker {
    private final Runnable task;
    private boolean done;

    AtFirstApplied(Runnable task) {
      this.task = task;
    }

    @Override
    public String name() {
      return "AtFirstApplied";
    }

    @Override
    public void on(SimEvent event) {
      if (event instanceof SimEvent.Applied && !done) {
        done = true;
        task.run();
      }
    }
  }
}
