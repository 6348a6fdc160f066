package io.kvorum.simulator;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.ImpossiblePlanException;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceHash;
import io.kvorum.simulator.world.TablesMedium;
import io.kvorum.simulator.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs whole clusters: the real classes, in a world that a plan decides. */
public final class Simulation {
  private Simulation() {}

  /**
   * Runs the plan to its end or the first violation. Every event goes to the checkers in order.
   *
   * @param checkers fresh ones, of this run alone
   * @param keepTrace whether the result holds every event
   */
  public static SimResult run(SimPlan plan, List<Checker> checkers, boolean keepTrace) {
    int flushEvery = plan.options().tuning().flushEvery();
    return run(plan, checkers, keepTrace, node -> TablesMedium.memory(flushEvery));
  }

  /**
   * The same over other tables.
   *
   * @param tables of each member; empty
   * @throws ImpossiblePlanException if no world can be made of the plan
   */
  public static SimResult run(
      SimPlan plan,
      List<Checker> checkers,
      boolean keepTrace,
      Function<NodeId, TablesMedium> tables) {
    TraceHash hash = new TraceHash();
    List<SimEvent> trace = new ArrayList<>();
    World world =
        world(
            plan,
            tables,
            event -> {
              hash.add(event);
              if (keepTrace) {
                trace.add(event);
              }
              for (Checker checker : checkers) {
                checker.on(event);
              }
            });
    Violation violation = world.run();
    if (violation == null) {
      violation = atEnd(checkers);
    }
    return new SimResult(
        plan, violation, world.time().steps(), world.time().nowNanos(), hash.value(), trace);
  }

  private static World world(
      SimPlan plan, Function<NodeId, TablesMedium> tables, Consumer<SimEvent> sink) {
    try {
      return new World(plan, tables, sink);
    } catch (RuntimeException refused) {
      throw new ImpossiblePlanException(refused);
    }
  }

  private static @Nullable Violation atEnd(List<Checker> checkers) {
    for (Checker checker : checkers) {
      try {
        checker.atEnd();
      } catch (Violation found) {
        return found;
      }
    }
    return null;
  }
}
