package io.kvorum.simulator.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Linearizability;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.report.Report;
import io.kvorum.simulator.run.EventCount;
import io.kvorum.simulator.run.Totals;
import io.kvorum.simulator.run.Universe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run to look at: with its trace, or drawn. */
final class Replay {
  private final Tools tools;
  private final Universe universe;
  private final SimPlan plan;
  private final boolean trace;
  private boolean undrawn;

  Replay(Tools tools, Universe universe, SimPlan plan, boolean trace) {
    this.tools = tools;
    this.universe = universe;
    this.plan = plan;
    this.trace = trace;
  }

  /**
   * Runs.
   *
   * @param html where to draw the run, or null
   */
  Totals run(@Nullable Path html) {
    EventCount count = new EventCount();
    List<Checker> watching = new ArrayList<>();
    watching.add(count);
    if (trace) {
      // Before the checkers: the event that breaks a promise is seen, too.
      watching.add(new TracePrinter(tools.out()));
    }
    List<Checker> checkers = tools.checkers().get();
    watching.addAll(checkers);
    long start = tools.clock().nanoTime();
    SimResult result = universe.runWhatever(plan, watching, html != null);
    long elapsed = tools.clock().nanoTime() - start;
    if (html != null) {
      draw(html, new Report(result, checkers));
    }
    Violation violation = result.violation();
    return new Totals(
        1,
        count.events(),
        result.simulatedNanos(),
        Linearizability.isUndecided(checkers) ? 1 : 0,
        elapsed,
        violation == null ? null : new Totals.Failure(plan, violation),
        count.snapshots());
  }

  /** A run that cannot be drawn has still been made: how it went is told all the same. */
  private void draw(Path html, Report report) {
    try {
      Files.writeString(html, report.html(), UTF_8);
    } catch (IOException unwritable) {
      undrawn = true;
      tools.err().println("sim: cannot write the diagram to " + html + ": " + unwritable);
    }
  }

  /** Whether the diagram of the run was wanted and could not be written. */
  boolean isUndrawn() {
    return undrawn;
  }
}
