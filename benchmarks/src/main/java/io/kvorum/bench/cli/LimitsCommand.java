package io.kvorum.bench.cli;

import io.kvorum.bench.limits.Figure;
import io.kvorum.bench.limits.LimitsRun;
import io.kvorum.bench.report.JsonReport;
import io.kvorum.bench.report.Machine;
import io.kvorum.bench.report.TableText;
import io.kvorum.bench.system.DataDirectory;
import io.kvorum.cli.process.ServerProcessException;
import io.kvorum.node.SystemClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./kvorum bench limits}. */
@Command(
    name = "limits",
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "",
      "Measures this machine, without Kvorum, so that Kvorum's figures can be read as a share of a"
          + " limit: syncs of a file, round trips over TCP, a chain of three bare processes that"
          + " sync what they get, and puts of RocksDB. The last line is limits: OK, or limits:"
          + " FAILED and why.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all was measured", "1:something failed", "2:wrong usage"})
final class LimitsCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final String FILE = "limits.json";

  private final Tools tools;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where files are synced; on the disk that is meant. Default: a temporary directory."
              + " Removed in the end, unless something failed.")
  private @Nullable Path directory;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Of each figure, and one more to warm up. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      defaultValue = "bench-results",
      description = "Gets limits.json. Default: ${DEFAULT-VALUE}.")
  private Path output = Path.of("bench-results");

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli shows the usage when it is set.
  private boolean help;

  LimitsCommand(Tools tools) {
    this.tools = tools;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LimitsRun run = new LimitsRun(seconds, new SystemClock(), tools.err()::println);
    if (Files.exists(output) && !Files.isDirectory(output)) {
      throw new IllegalArgumentException("--output wants a directory, not the file " + output);
    }
    Path data = DataDirectory.take(directory);
    Map<String, String> machine = Machine.describe(tools.proc(), data);
    List<Figure> figures;
    try {
      figures = run.run(data);
    } catch (IOException | UncheckedIOException | ServerProcessException failed) {
      tools.out().println("limits: FAILED " + failed.getMessage() + "; files and logs in " + data);
      return FAILED;
    }
    Files.delete(data);
    print(machine, figures);
    tools.out().println("limits: OK");
    return OK;
  }

  private void print(Map<String, String> machine, List<Figure> figures) throws IOException {
    machine.forEach((name, value) -> tools.out().println(name + ": " + value));
    Machine.notes(machine).forEach(tools.out()::println);
    tools.out().println();
    TableText.aligned(LimitsRun.table(figures)).forEach(tools.out()::println);
    tools.out().println();
    Files.createDirectories(output);
    Files.writeString(output.resolve(FILE), JsonReport.text(json(machine, figures)));
    tools.out().println("written: " + FILE + " in " + output);
    figures.forEach(figure -> tools.out().println(figure.line()));
  }

  private Map<String, Object> json(Map<String, String> machine, List<Figure> figures) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("machine", machine);
    all.put("seconds", seconds);
    all.put("limits", figures.stream().map(Figure::fields).toList());
    return all;
  }
}
