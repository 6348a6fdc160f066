package io.kvorum.bench.cli;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.peer.kvorum.KvorumSystem;
import io.kvorum.bench.report.Ratio;
import io.kvorum.bench.report.Report;
import io.kvorum.bench.report.Summary;
import io.kvorum.bench.run.Plan;
import io.kvorum.bench.run.Systems;
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

/** {@code ./kvorum bench cluster}. */
@Command(
    name = "cluster",
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "",
      "Measures Kvorum, and beside it its peers, each as server processes and one client process"
          + " on this machine. Rounds alternate between the systems; each turn has fresh servers"
          + " and runs alone. In the end of a turn all values are read back, and a sample of calls"
          + " is checked for linearizability. The last line is bench: OK, or bench: FAILED and"
          + " why.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all was right", "1:something was not", "2:wrong usage"})
final class ClusterCommand implements Callable<Integer> {
  private static final int OK = 0;
  private static final int FAILED = 1;

  private final Tools tools;

  @Option(
      names = "--peer",
      paramLabel = "NAME",
      split = ",",
      description =
          "etcd, zookeeper, rheakv, ratis or dledger; several, or several times; all for all of"
              + " them. Without it: Kvorum alone.")
  private List<String> peers = new ArrayList<>();

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      split = ",",
      description =
          "put, get, mixed (4 gets for each put), txn (compare and set), watch (put, until a"
              + " watch has told of it); several, or several times. Default: put.")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--clients",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,16,128,1024",
      description = "Calls under way at any time. Default: ${DEFAULT-VALUE}.")
  private List<Integer> clients = new ArrayList<>();

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      defaultValue = "256",
      description = "Of each value. Default: ${DEFAULT-VALUE}.")
  private int valueBytes;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Servers of each system. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Of each measurement. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--warm-up-seconds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Of the same load, before each measurement. Default: ${DEFAULT-VALUE}.")
  private int warmUpSeconds;

  @Option(
      names = "--settle-seconds",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Of puts with the most clients, when a system has just started. Default:"
              + " ${DEFAULT-VALUE}.")
  private int settleSeconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Figures are medians of the rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Keys that exist and are written and read. Default: ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Decides which keys are taken. Default: ${DEFAULT-VALUE}.")
  private long seed;

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

  ClusterCommand(Tools tools) {
    this.tools = tools;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Report report = new Benchmark(tools, plan(), systems(), directory, output).run();
    Ratio.of(Summary.of(report.results()), KvorumSystem.NAME)
        .forEach(ratio -> tools.out().println(ratio.line()));
    tools.out().println(report.verdict());
    return report.wrong().isEmpty() ? OK : FAILED;
  }

  private Plan plan() {
    List<String> names = workloads.isEmpty() ? List.of(Workload.PUT.text()) : workloads;
    return new Plan(
        names.stream().map(Workload::parse).toList(),
        clients,
        valueBytes,
        nodes,
        seconds,
        warmUpSeconds,
        settleSeconds,
        rounds,
        keys,
        seed);
  }

  private List<SystemUnderTest> systems() {
    List<String> names = peers.equals(List.of("all")) ? Systems.peerNames() : peers;
    return Systems.withPeers(names, new Libraries(tools.peerLibraries()));
  }
}
