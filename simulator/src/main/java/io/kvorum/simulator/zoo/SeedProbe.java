package io.kvorum.simulator.zoo;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.Simulation;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.run.Universe;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs one seed in whatever world it was loaded into. Its text crosses to the other world: null
 * when the run is fine, else the checker's name, a space, and what it saw.
 */
public final class SeedProbe implements LongFunction<@Nullable String> {
  @Override
  public @Nullable String apply(long seed) {
    Universe universe = Simulation::run;
    SimResult result = universe.runWhatever(Plans.draw(seed), Checkers.all(), false);
    Violation violation = result.violation();
    return violation == null ? null : violation.checker() + " " + violation.getMessage();
  }
}
