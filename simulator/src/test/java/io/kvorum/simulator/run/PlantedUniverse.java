package io.kvorum.simulator.run;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceHash;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A simulation of nothing: each fault of the plan strikes when it is due, and the checkers see it.
 * So whether a run fails is decided by what a test plants as a checker.
 */
public final class PlantedUniverse implements Universe {
  private static final List<NodeId> NODES =
      List.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3"));

  /** A plan with some twenty faults, drawn from the seed. */
  public static SimPlan plan(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<TimedFault> faults = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      NodeId node = NODES.get(random.nextInt(3));
      NodeId other = NODES.get((NODES.indexOf(node) + 1) % 3);
      Fault fault =
          switch (random.nextInt(4)) {
            case 0 -> new Fault.LosePower(node);
            case 1 -> new Fault.Restart(node);
            case 2 -> new Fault.Kill(node);
            default -> new Fault.Cut(node, other);
          };
      faults.add(new TimedFault(1_000_000L * (i + 1), fault));
    }
    return new SimPlan(seed, new SimOptions(3, 4, 5, 1000, 500_000_000), faults);
  }

  @Override
  public SimResult run(SimPlan plan, List<Checker> checkers, boolean keepTrace) {
    List<SimEvent> trace = new ArrayList<>();
    TraceHash hash = new TraceHash();
    Violation violation = null;
    try {
      for (TimedFault timed : plan.faults()) {
        SimEvent event = new SimEvent.FaultStruck(timed.atNanos(), timed.fault());
        trace.add(event);
        hash.add(event);
        checkers.forEach(checker -> checker.on(event));
      }
      checkers.forEach(Checker::atEnd);
    } catch (Violation found) {
      violation = found;
    }
    return new SimResult(
        plan,
        violation,
        trace.size(),
        10_000_000_000L,
        hash.value(),
        keepTrace ? trace : List.of());
  }

  /** Fails when n2 loses power at any time after a cut. */
  public static final class NoPowerLossAfterCut implements Checker {
    private Fault.@Nullable Cut cut;

    @Override
    public String name() {
      return "NoPowerLossAfterCut";
    }

    @Override
    public void on(SimEvent event) {
      if (!(event instanceof SimEvent.FaultStruck struck)) {
        return;
      }
      if (struck.fault() instanceof Fault.Cut found) {
        cut = found;
      } else if (struck.fault() instanceof Fault.LosePower lost
          && lost.node().name().equals("n2")
          && cut != null) {
        throw new Violation(name(), "n2 lost power after <" + cut.from() + "> was cut\nat length");
      }
    }
  }
}
