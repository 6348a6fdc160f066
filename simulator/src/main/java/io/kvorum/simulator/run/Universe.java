package io.kvorum.simulator.run;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimPlan;
import java.util.List;

/** What runs a plan: the simulation, or what a test puts in its place. Any thread may call. */
@FunctionalInterface
public interface Universe {
  /**
   * Runs the plan.
   *
   * @param checkers fresh ones, for this run alone
   * @param keepTrace whether the result has the events
   */
  SimResult run(SimPlan plan, List<Checker> checkers, boolean keepTrace);

  /**
   * The same, where an exception of the simulator, or of what it runs, is a finding like any other:
   * a {@link Violation} of the checker "Simulation", with a seed to look at.
   */
  default SimResult runWhatever(SimPlan plan, List<Checker> checkers, boolean keepTrace) {
    try {
      return run(plan, checkers, keepTrace);
    } catch (RuntimeException | AssertionError bug) {
      Violation violation = new Violation("Simulation", "the run ended with " + bug);
      violation.initCause(bug);
      return new SimResult(plan, violation, 0, 0, 0, List.of());
    }
  }
}
