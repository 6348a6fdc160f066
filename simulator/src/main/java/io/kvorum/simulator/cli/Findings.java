package io.kvorum.simulator.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.shrink.PlanText;
import io.kvorum.simulator.shrink.Shrinker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Makes of a failing plan a small one, and leaves it and its diagram in {@code target/sim}. */
final class Findings {
  private static final int SHRINK_RUNS_MAX = 400;

  private final Tools tools;
  private final boolean rocks;

  Findings(Tools tools, boolean rocks) {
    this.tools = tools;
    this.rocks = rocks;
  }

  /**
   * Shrinks and tells of it on standard output.
   *
   * @return the line that replays the shrunk plan
   */
  String shrunk(SimPlan failing, Violation violation) throws IOException {
    tools.err().println("sim: seed " + failing.seed() + " failed; looking for a smaller plan");
    Shrinker.Shrunk shrunk =
        new Shrinker(tools.universe(rocks), tools.checkers(), SHRINK_RUNS_MAX)
            .shrink(failing, violation);
    Path relative = Path.of("target", "sim", "seed-" + failing.seed() + ".plan");
    Path file = tools.directory().resolve(relative);
    Files.createDirectories(file.toAbsolutePath().getParent());
    String replay = Lines.replay("--plan " + relative, rocks);
    Files.writeString(file, "# Replay: " + replay + "\n" + PlanText.write(shrunk.plan()), UTF_8);
    Path diagram = Path.of("target", "sim", "seed-" + failing.seed() + ".html");
    new Replay(tools, tools.universe(rocks), shrunk.plan(), false)
        .run(tools.directory().resolve(diagram));
    tell(failing, shrunk);
    tools.out().println("  diagram: " + diagram);
    return replay;
  }

  private void tell(SimPlan failing, Shrinker.Shrunk shrunk) {
    SimOptions options = shrunk.plan().options();
    tools
        .out()
        .println(
            "shrunk in %d runs from %d faults to %d, at most %d operations of %d clients:"
                .formatted(
                    shrunk.runs(),
                    failing.faults().size(),
                    shrunk.plan().faults().size(),
                    options.operationsMax(),
                    options.clients()));
    for (TimedFault timed : shrunk.plan().faults()) {
      String millis = String.format(Locale.ROOT, "%14.6f ms  ", timed.atNanos() / 1e6);
      tools.out().println(millis + timed.fault());
    }
    tools.out().println("  " + Lines.promise(shrunk.violation()));
  }
}
