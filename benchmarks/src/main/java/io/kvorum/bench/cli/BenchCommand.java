package io.kvorum.bench.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./kvorum bench}: says what there is. */
@Command(
    name = "bench",
    usageHelpWidth = 100,
    synopsisHeading = "Usage: ./kvorum ",
    description = {"", "Measures Kvorum, its peers, and the machine.", ""})
final class BenchCommand implements Runnable {
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli shows the usage when it is set.
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  private BenchCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "bench wants a command");
  }

  /** Runs the command; returns its exit code. */
  static int run(Tools tools, String... arguments) {
    CommandLine line = new CommandLine(new BenchCommand());
    line.addSubcommand(new ClusterCommand(tools));
    line.addSubcommand(new LimitsCommand(tools));
    line.addSubcommand(new GuardCommand(tools));
    line.setExpandAtFiles(false);
    line.setOut(new PrintWriter(tools.out(), true, UTF_8));
    line.setParameterExceptionHandler((wrong, given) -> usage(tools, wrong.getMessage()));
    line.setExecutionExceptionHandler(
        (thrown, command, given) -> {
          if (thrown instanceof IllegalArgumentException) {
            return usage(tools, thrown.getMessage());
          }
          if (thrown instanceof IOException || thrown instanceof UncheckedIOException) {
            tools.out().println("bench: FAILED " + thrown.getMessage());
            return FAILED;
          }
          throw thrown;
        });
    return line.execute(arguments);
  }

  private static int usage(Tools tools, @Nullable String message) {
    tools.err().println("kvorum: " + message);
    tools.err().println("See ./kvorum bench --help, or ./kvorum bench COMMAND --help.");
    return USAGE;
  }
}
