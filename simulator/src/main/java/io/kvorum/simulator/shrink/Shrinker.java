package io.kvorum.simulator.shrink;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.run.Universe;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Makes a failing plan smaller while the same checker still fails: leaves out faults (delta
 * debugging, Zeller and Hildebrandt 2002), then lowers operations, clients and time. Deterministic,
 * and bounded by a number of runs.
 */
public final class Shrinker {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Universe universe;
  private final Supplier<List<Checker>> checkers;
  private final int runsMax;

  /**
   * A shrinker.
   *
   * @param checkers a fresh set for each run
   * @param runsMax after which it is content with what it has
   */
  public Shrinker(Universe universe, Supplier<List<Checker>> checkers, int runsMax) {
    this.universe = universe;
    this.checkers = checkers;
    this.runsMax = runsMax;
  }

  /**
   * What came of it.
   *
   * @param plan the smallest found, at worst the given one
   * @param violation how that one fails
   * @param runs that it took
   */
  public record Shrunk(SimPlan plan, Violation violation, int runs) {}

  /** Shrinks a plan that fails in this way. */
  public Shrunk shrink(SimPlan failing, Violation violation) {
    Search search = new Search(failing, violation);
    SimPlan before;
    do {
      before = search.smallest;
      search.leaveOutFaults();
      search.lower("operationsMax", before.options().operationsMax(), 1, 1);
      search.lower("clients", before.options().clients(), 1, 1);
      search.lower("safetyNanos", before.options().safetyNanos(), 1, NANOS_PER_MILLI);
    } while (!search.smallest.equals(before) && search.runs < runsMax);
    return new Shrunk(search.smallest, search.violation, search.runs);
  }

  /** One search for a smaller plan. */
  private final class Search {
    private SimPlan smallest;
    private Violation violation;
    private int runs;

    Search(SimPlan failing, Violation violation) {
      this.smallest = failing;
      this.violation = violation;
    }

    /** Runs the candidate, and keeps it if it fails in the same way. */
    private boolean fails(SimPlan candidate) {
      if (runs == runsMax) {
        return false;
      }
      runs++;
      SimResult result = universe.runWhatever(candidate, checkers.get(), false);
      Violation found = result.violation();
      if (found == null || !found.checker().equals(violation.checker())) {
        return false;
      }
      smallest = candidate;
      violation = found;
      return true;
    }

    /** Leaves out ever smaller pieces, until no single fault can be missed. */
    void leaveOutFaults() {
      if (smallest.faults().isEmpty() || fails(withFaults(List.of()))) {
        return;
      }
      int pieces = 2;
      while (pieces <= smallest.faults().size()) {
        if (leaveOutOneOf(pieces)) {
          pieces = Math.max(2, pieces - 1);
        } else if (pieces == smallest.faults().size()) {
          return;
        } else {
          pieces = Math.min(2 * pieces, smallest.faults().size());
        }
      }
    }

    private boolean leaveOutOneOf(int pieces) {
      List<TimedFault> faults = smallest.faults();
      for (int piece = 0; piece < pieces; piece++) {
        int from = (int) ((long) faults.size() * piece / pieces);
        int to = (int) ((long) faults.size() * (piece + 1) / pieces);
        List<TimedFault> rest = new ArrayList<>(faults.subList(0, from));
        rest.addAll(faults.subList(to, faults.size()));
        if (fails(withFaults(rest))) {
          return true;
        }
      }
      return false;
    }

    private SimPlan withFaults(List<TimedFault> faults) {
      return new SimPlan(smallest.seed(), smallest.options(), faults);
    }

    /** Looks for the lowest number, in steps of {@code unit}, by halving. */
    void lower(String option, long now, long min, long unit) {
      LongFunction<SimOptions> with =
          units -> RecordText.with(smallest.options(), option, Math.max(min, units * unit));
      long low = min / unit;
      long high = now / unit;
      while (low < high && runs < runsMax) {
        long middle = low + (high - low) / 2;
        SimPlan candidate = new SimPlan(smallest.seed(), with.apply(middle), smallest.faults());
        if (fails(candidate)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
    }
  }
}
