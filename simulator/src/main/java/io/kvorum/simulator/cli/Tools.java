package io.kvorum.simulator.cli;

import io.kvorum.node.Clock;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.run.Universe;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * What the command works with.
 *
 * @param memory runs plans over tables in memory
 * @param rocks runs plans over RocksDB
 * @param plans draws a plan from a seed
 * @param checkers a fresh set for each run
 * @param keptSeeds that once failed
 * @param clock of this machine, not of a run
 * @param directory below which files are written
 */
record Tools(
    Universe memory,
    Universe rocks,
    LongFunction<SimPlan> plans,
    Supplier<List<Checker>> checkers,
    Supplier<List<Long>> keptSeeds,
    Clock clock,
    PrintStream out,
    PrintStream err,
    Path directory) {

  /** What runs the plans, over RocksDB or not. */
  Universe universe(boolean overRocks) {
    return overRocks ? rocks : memory;
  }
}
