package io.kvorum.bench.cli;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.peer.kvorum.Checkout;
import io.kvorum.bench.peer.kvorum.KvorumBuild;
import io.kvorum.bench.peer.kvorum.KvorumSystem;
import io.kvorum.bench.report.Guard;
import io.kvorum.bench.report.Ratio;
import io.kvorum.bench.report.Report;
import io.kvorum.bench.report.Summary;
import io.kvorum.bench.run.Plan;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./kvorum bench guard}. */
@Command(
    name = "guard",
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "",
      "Compares this build of Kvorum with another one, the base: three servers of either build in"
          + " turn, loaded by the same client, in the order base, this, this, base, and so on. A"
          + " line for each load is this build divided by the base, medians of the rounds. The"
          + " last line is guard: OK, or guard: FAILED and why: a rate is too low, or a turn found"
          + " something wrong. Latencies and processor time are told, and fail nothing.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:this build is not slower",
      "1:it is, or something was wrong",
      "2:wrong usage; nothing was started"
    })
final class GuardCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;

  private static final String BASE = "base";
  private static final int VALUE_BYTES = 256;
  private static final int WARM_UP_SECONDS = 3;
  private static final long SEED = 1;

  private final Tools tools;

  @Option(
      names = "--base",
      paramLabel = "DIR",
      required = true,
      description = "Another checkout of Kvorum, which is built.")
  private Path base = Path.of("");

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "put,get",
      description = "As for bench cluster. Default: ${DEFAULT-VALUE}.")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--clients",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,128,1024",
      description = "Calls under way at any time. Default: ${DEFAULT-VALUE}.")
  private List<Integer> clients = new ArrayList<>();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Of each measurement. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Figures are medians of the rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--settle-seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "Of puts with the most clients, when servers have just started. Default:"
              + " ${DEFAULT-VALUE}.")
  private int settleSeconds;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Servers of each build. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "All there are. Default: ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--least",
      paramLabel = "RATIO",
      defaultValue = "0.9",
      description =
          "The least rate that is allowed, where the base's is 1. Default: ${DEFAULT-VALUE}.")
  private double least;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where servers keep their data. Default: a temporary directory. Removed in the end,"
              + " but for turns in which something was wrong.")
  private @Nullable Path directory;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      defaultValue = "bench-results",
      description = "Gets bench.json and bench.svg. Default: ${DEFAULT-VALUE}.")
  private Path output = Path.of("bench-results");

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli shows the usage when it is set.
  private boolean help;

  GuardCommand(Tools tools) {
    this.tools = tools;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Guard guard = new Guard(least);
    Report report = new Benchmark(tools, plan(), systems(), directory, output).run();
    List<Ratio> ratios = Ratio.of(Summary.of(report.results()), KvorumSystem.NAME);
    ratios.forEach(ratio -> tools.out().println(Guard.line(ratio)));
    List<String> failures = guard.failures(ratios, report.wrong());
    tools.out().println(Guard.verdict(failures));
    return failures.isEmpty() ? OK : FAILED;
  }

  private Plan plan() {
    return new Plan(
        workloads.stream().map(Workload::parse).toList(),
        clients,
        VALUE_BYTES,
        nodes,
        seconds,
        WARM_UP_SECONDS,
        settleSeconds,
        rounds,
        keys,
        SEED);
  }

  /** The base takes the first turn. */
  private List<SystemUnderTest> systems() {
    Path own = Libraries.locationOf(GuardCommand.class);
    return List.of(KvorumBuild.of(BASE, Checkout.libraries(base, own)), KvorumBuild.own());
  }
}
