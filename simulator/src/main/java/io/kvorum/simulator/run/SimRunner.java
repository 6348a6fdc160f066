package io.kvorum.simulator.run;

import io.kvorum.node.Clock;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Linearizability;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs seeds on several threads, one run per thread, until there are no more, the time is up, or a
 * run breaks a promise. Runs that are under way then are brought to their end, so that of several
 * failures the first in order of seeds is the one that is told.
 */
public final class SimRunner {
  private static final long PROGRESS_SECONDS = 3;

  /**
   * How far to go.
   *
   * @param seeds in the order in which they are begun; may be without end if the time is not
   * @param nanosMax real time after which no run is begun
   * @param threads at least 1
   */
  public record Limits(PrimitiveIterator.OfLong seeds, long nanosMax, int threads) {}

  private final Universe universe;
  private final LongFunction<SimPlan> plans;
  private final Supplier<List<Checker>> checkers;
  private final Clock clock;
  private final Consumer<Totals> progress;

  /**
   * A runner.
   *
   * @param progress told every few seconds, on the thread that called {@link #run}
   */
  public SimRunner(
      Universe universe,
      LongFunction<SimPlan> plans,
      Supplier<List<Checker>> checkers,
      Clock clock,
      Consumer<Totals> progress) {
    this.universe = universe;
    this.plans = plans;
    this.checkers = checkers;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Runs.
   *
   * @throws InterruptedException if the caller is interrupted; runs under way end by themselves
   */
  public Totals run(Limits limits) throws InterruptedException {
    Batch batch = new Batch(limits);
    for (int i = 0; i < limits.threads(); i++) {
      Thread thread = new Thread(batch::work, "sim-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    try {
      while (!batch.ended.await(PROGRESS_SECONDS, TimeUnit.SECONDS)) {
        progress.accept(batch.totals());
      }
    } finally {
      batch.stop();
    }
    batch.checkAlive();
    return batch.totals();
  }

  /** The state that the threads of one call share. */
  private final class Batch {
    private final Limits limits;
    private final long startNanos = clock.nanoTime();
    private final CountDownLatch ended;

    // Guarded by this.
    private long begun;
    private long runs;
    private long events;
    private long simulatedNanos;
    private long undecided;
    private SnapshotTotals snapshots = SnapshotTotals.NONE;
    private long failedPosition = Long.MAX_VALUE;
    private Totals.@Nullable Failure failure;
    private @Nullable Throwable died;
    private boolean stopped;

    Batch(Limits limits) {
      this.limits = limits;
      this.ended = new CountDownLatch(limits.threads());
    }

    void work() {
      try {
        Turn turn;
        while ((turn = next()) != null) {
          run(turn);
        }
      } catch (Throwable fatal) {
        // Of the machine or the JVM. The batch must not look as if this run had gone well.
        synchronized (this) {
          died = fatal;
          stopped = true;
        }
      } finally {
        ended.countDown();
      }
    }

    private synchronized @Nullable Turn next() {
      boolean timeIsUp = clock.nanoTime() - startNanos >= limits.nanosMax();
      if (stopped || timeIsUp || !limits.seeds().hasNext()) {
        return null;
      }
      return new Turn(begun++, limits.seeds().nextLong());
    }

    private void run(Turn turn) {
      SimPlan plan = plans.apply(turn.seed());
      EventCount count = new EventCount();
      List<Checker> watching = new ArrayList<>(checkers.get());
      watching.add(count);
      SimResult result = universe.runWhatever(plan, watching, false);
      boolean isUndecided = Linearizability.isUndecided(watching);
      ended(turn, result, count, isUndecided);
    }

    private synchronized void ended(
        Turn turn, SimResult result, EventCount count, boolean isUndecided) {
      runs++;
      undecided += isUndecided ? 1 : 0;
      events += count.events();
      snapshots = snapshots.plus(count.snapshots());
      simulatedNanos += result.simulatedNanos();
      Violation violation = result.violation();
      if (violation != null) {
        stopped = true;
        if (turn.position() < failedPosition) {
          failedPosition = turn.position();
          failure = new Totals.Failure(result.plan(), violation);
        }
      }
    }

    synchronized void stop() {
      stopped = true;
    }

    synchronized void checkAlive() {
      if (died != null) {
        throw new IllegalStateException("a thread that ran simulations has died", died);
      }
    }

    synchronized Totals totals() {
      return new Totals(
          runs,
          events,
          simulatedNanos,
          undecided,
          clock.nanoTime() - startNanos,
          failure,
          snapshots);
    }
  }

  /** A seed, and the how manieth it is. */
  private record Turn(long position, long seed) {}
}
