package io.kvorum.simulator.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.Simulation;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.trace.SimEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Of {@link RocksUniverse}. */
@ExtendWith(QuietNodes.class)
class RocksUniverseTest {
  /** In 12, power is lost in the middle of a scan. */
  private static final long[] SEEDS = {12, 500, 501, 502, 503};

  @TempDir Path directory;

  @Test
  void drawnPlansKeepAllPromisesAndHaveTheSameTraceAsOverMemory() {
    RocksUniverse universe = new RocksUniverse(directory);
    for (long seed : SEEDS) {
      SimPlan plan = Plans.draw(seed);

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
  void closingEndsTheRunsThatAreUnderWayAndLeavesNoFiles() {
    RocksUniverse universe = new RocksUniverse(directory);
    SimPlan plan = Plans.draw(SEEDS[0]);

    SimResult result =
        universe.runWhatever(plan, List.of(new AtFirstApplied(universe::close)), false);

    assertThat(result.violation()).isNotNull();
    assertThat(directory).isEmptyDirectory();
    assertThatThrownBy(() -> universe.run(plan, List.of(), false))
        .hasMessage("the simulator is ending");
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
