package io.kvorum.bench.cli;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/** The command {@code ./kvorum bench}. */
public final class Bench {
  private Bench() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    // What libraries of this process log is of no interest; servers and clients have logs.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    Path peers = Path.of(System.getProperty("kvorum.bench.peers", "target/peers"));
    int code = BenchCommand.run(new Tools(out, err, peers, Path.of("/proc")), arguments);
    out.flush();
    System.exit(code);
  }
}
