package io.kvorum.simulator.run;

import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimPlan;
import org.jspecify.annotations.Nullable;

/**
 * How many runs went.
 *
 * @param runs that have ended, the failing ones included
 * @param events in all of them
 * @param simulatedNanos virtual time that passed in all of them
 * @param undecided runs whose history was too hard for the linearizability checker; all other
 *     promises were checked in them
 * @param elapsedNanos real time that passed
 * @param failure the first in order of seeds, or null
 * @param snapshots what was done about them in all runs
 */
public record Totals(
    long runs,
    long events,
    long simulatedNanos,
    long undecided,
    long elapsedNanos,
    @Nullable Failure failure,
    SnapshotTotals snapshots) {

  /** Of runs without snapshots. */
  public Totals(
      long runs,
      long events,
      long simulatedNanos,
      long undecided,
      long elapsedNanos,
      @Nullable Failure failure) {
    this(runs, events, simulatedNanos, undecided, elapsedNanos, failure, SnapshotTotals.NONE);
  }

  /** A run that broke a promise. */
  public record Failure(SimPlan plan, Violation violation) {}

  /** Simulated seconds for each real one. */
  public long speed() {
    return simulatedNanos / Math.max(1, elapsedNanos);
  }
}
