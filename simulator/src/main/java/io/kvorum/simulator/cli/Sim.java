package io.kvorum.simulator.cli;

import io.kvorum.node.SystemClock;
import io.kvorum.simulator.Simulation;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.run.KeptSeeds;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/** The command {@code ./kvorum sim}. */
public final class Sim {
  private Sim() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    // The same seed gives the same trace, also where digits look otherwise.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    // What simulated nodes log would drown what the simulator says: there is no binding here, and
    // that needs no mention.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    RocksUniverse rocks = new RocksUniverse(Path.of(System.getProperty("java.io.tmpdir")));
    // Also when it is interrupted, nothing shall stay of the runs.
    Runtime.getRuntime().addShutdownHook(new Thread(rocks::close, "sim-shutdown"));
    Tools tools =
        new Tools(
            Simulation::run,
            rocks,
            Plans::draw,
            Checkers::all,
            KeptSeeds::all,
            new SystemClock(),
            out,
            err,
            Path.of(""));
    int code = SimCommand.run(tools, arguments);
    out.flush();
    System.exit(code);
  }
}
