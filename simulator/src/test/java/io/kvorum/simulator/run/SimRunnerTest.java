package io.kvorum.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.Clock;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.trace.SimEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Of {@link SimRunner}. */
class SimRunnerTest {
  private static final Clock STOPPED = new TestClock(0);

  /** A clock that moves on by so much whenever it is asked. */
  private static final class TestClock implements Clock {
    private final long step;
    private final AtomicLong now = new AtomicLong();

    TestClock(long step) {
      this.step = step;
    }

    @Override
    public long nanoTime() {
      return now.getAndAdd(step);
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }

  private static SimRunner runner(
      Universe universe, Supplier<List<Checker>> checkers, Clock clock) {
    return new SimRunner(universe, PlantedUniverse::plan, checkers, clock, totals -> {});
  }

  private static SimRunner.Limits seeds(long from, long to, int threads) {
    return new SimRunner.Limits(
        LongStream.rangeClosed(from, to).iterator(), Long.MAX_VALUE, threads);
  }

  @Test
  void runsEachSeedOnceAndAddsUp() throws Exception {
    Set<Long> seen = new ConcurrentSkipListSet<>();
    Universe universe =
        (plan, checkers, keepTrace) -> {
          assertThat(seen.add(plan.seed())).isTrue();
          return new PlantedUniverse().run(plan, checkers, keepTrace);
        };

    Totals totals = runner(universe, List::of, STOPPED).run(seeds(1, 50, 4));

    assertThat(seen).hasSize(50);
    assertThat(totals).isEqualTo(new Totals(50, 50 * 20, 500_000_000_000L, 0, 0, null));
  }

  @Test
  void stopsAtAViolationAndTellsTheFirstInOrderOfSeeds() throws Exception {
    Supplier<List<Checker>> checkers = () -> List.of(new PlantedUniverse.NoPowerLossAfterCut());
    long first =
        LongStream.rangeClosed(1, 1000)
            .filter(
                seed ->
                    new PlantedUniverse()
                            .run(PlantedUniverse.plan(seed), checkers.get(), false)
                            .violation()
                        != null)
            .findFirst()
            .orElseThrow();

    Totals totals = runner(new PlantedUniverse(), checkers, STOPPED).run(seeds(1, 1000, 4));

    assertThat(totals.runs()).isLessThan(1000);
    assertThat(totals.failure()).isNotNull();
    assertThat(totals.failure().plan()).isEqualTo(PlantedUniverse.plan(first));
    assertThat(totals.failure().violation().checker()).isEqualTo("NoPowerLossAfterCut");
  }

  @Test
  void beginsNothingWhenTheTimeIsUp() throws Exception {
    LongStream endless = LongStream.iterate(1, seed -> seed + 1);
    SimRunner.Limits limits = new SimRunner.Limits(endless.iterator(), 100, 1);

    Totals totals = runner(new PlantedUniverse(), List::of, new TestClock(10)).run(limits);

    assertThat(totals.runs()).isEqualTo(9);
    assertThat(totals.failure()).isNull();
  }

  @Test
  void anExceptionOfARunIsAFinding() throws Exception {
    Universe universe =
        (plan, checkers, keepTrace) -> {
          throw new IllegalStateException("planted");
        };

    Totals totals = runner(universe, List::of, STOPPED).run(seeds(7, 7, 1));

    assertThat(totals.failure()).isNotNull();
    assertThat(totals.failure().violation()).hasMessageContaining("planted");
    assertThat(totals.failure().violation().checker()).isEqualTo("Simulation");
  }

  @Test
  void aThreadThatDiesIsNoSuccess() {
    Universe universe =
        (plan, checkers, keepTrace) -> {
          throw new OutOfMemoryError("planted");
        };

    assertThatThrownBy(() -> runner(universe, List::of, STOPPED).run(seeds(1, 9, 2)))
        .hasRootCauseMessage("planted");
  }

  @Test
  void everyRunHasCheckersOfItsOwn() throws Exception {
    Supplier<List<Checker>> checkers =
        () ->
            List.of(
                new Checker() {
                  private long last;

                  @Override
                  public String name() {
                    return "TimeMovesOn";
                  }

                  @Override
                  public void on(SimEvent event) {
                    if (event.atNanos() <= last) {
                      throw new Violation(name(), "seen by an earlier run");
                    }
                    last = event.atNanos();
                  }
                });

    assertThat(runner(new PlantedUniverse(), checkers, STOPPED).run(seeds(1, 20, 2)).failure())
        .isNull();
  }

  @Test
  void keptSeedsStandOneALine() {
    assertThat(KeptSeeds.parse("# comment\n12\n\n -7 # why\n")).containsExactly(12L, -7L);
    assertThat(KeptSeeds.all()).doesNotHaveDuplicates();
  }
}
