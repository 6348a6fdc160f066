package io.kvorum.bench.cli;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.peer.kvorum.KvorumSystem;
import io.kvorum.bench.report.JsonReport;
import io.kvorum.bench.report.Machine;
import io.kvorum.bench.report.Ratio;
import io.kvorum.bench.report.Report;
import io.kvorum.bench.report.Summary;
import io.kvorum.bench.report.SvgPlot;
import io.kvorum.bench.report.TableText;
import io.kvorum.bench.run.ClusterRun;
import io.kvorum.bench.run.Plan;
import io.kvorum.bench.run.Systems;
import io.kvorum.bench.system.DataDirectory;
import io.kvorum.bench.system.Libraries;
import io.kvorum.bench.system.SystemUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
    Plan plan = plan();
    List<SystemUnderTest> systems = systems();
    // Whatever is missing shows before anything runs.
    Map<String, Map<String, String>> descriptions = descriptions(systems);
    Path data = DataDirectory.take(directory);
    Map<String, String> machine = Machine.describe(tools.proc(), data);
    List<String> notes = notes(plan, systems, machine);
    ClusterRun run = new ClusterRun(plan, systems, data, tools.err()::println);
    run.run();
    Report report = new Report(machine, descriptions, fields(plan), run.results(), run.wrong());
    print(report, notes);
    if (report.wrong().isEmpty()) {
      Files.delete(data);
    }
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

  /** What a reader of the figures must know. */
  private static List<String> notes(
      Plan plan, List<SystemUnderTest> systems, Map<String, String> machine) {
    List<String> notes = new ArrayList<>(Machine.notes(machine));
    for (SystemUnderTest system : systems) {
      String left =
          plan.workloads().stream()
              .filter(workload -> !system.workloads().contains(workload))
              .map(Workload::text)
              .collect(Collectors.joining(", "));
      if (!left.isEmpty()) {
        notes.add("note: left out for " + system.name() + ", which cannot do it: " + left);
      }
    }
    return notes;
  }

  private void print(Report report, List<String> notes) throws IOException {
    List<Summary> summaries = Summary.of(report.results());
    report.machine().forEach((name, value) -> tools.out().println(name + ": " + value));
    report.systems().forEach((name, about) -> tools.out().println(name + ": " + about));
    tools.out().println("plan: " + report.plan());
    notes.forEach(tools.out()::println);
    TableText.lines(summaries).forEach(tools.out()::println);
    tools.out().println();
    Files.createDirectories(output);
    Files.writeString(output.resolve("bench.json"), JsonReport.text(report, KvorumSystem.NAME));
    Files.writeString(output.resolve("bench.svg"), SvgPlot.text(summaries));
    tools.out().println("written: bench.json and bench.svg in " + output);
    Ratio.of(summaries, KvorumSystem.NAME).forEach(ratio -> tools.out().println(ratio.line()));
  }

  private static Map<String, Map<String, String>> descriptions(List<SystemUnderTest> systems) {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    for (SystemUnderTest system : systems) {
      system.clientClassPath();
      Map<String, String> about = new LinkedHashMap<>();
      about.put("version", system.version());
      about.put("promises", system.promises());
      about.put("flags", system.flags());
      all.put(system.name(), about);
    }
    return all;
  }

  private static Map<String, Object> fields(Plan plan) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("workloads", plan.workloads().stream().map(Workload::text).toList());
    fields.put("clients", plan.clients());
    fields.put("value_bytes", plan.valueBytes());
    fields.put("nodes", plan.nodes());
    fields.put("seconds", plan.seconds());
    fields.put("warm_up_seconds", plan.warmUpSeconds());
    fields.put("settle_seconds", plan.settleSeconds());
    fields.put("rounds", plan.rounds());
    fields.put("keys", plan.keys());
    fields.put("seed", plan.seed());
    return fields;
  }
}
