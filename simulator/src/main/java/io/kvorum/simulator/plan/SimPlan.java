package io.kvorum.simulator.plan;

import java.util.List;

/**
 * All that decides a run: the same plan gives the same trace, byte for byte. Drawn from a seed; a
 * failing one is shrunk by leaving out faults and operations.
 *
 * @param seed of all chance inside the run
 * @param faults in order of time
 */
public record SimPlan(long seed, SimOptions options, List<TimedFault> faults) {
  public SimPlan {
    faults = List.copyOf(faults);
  }
}
