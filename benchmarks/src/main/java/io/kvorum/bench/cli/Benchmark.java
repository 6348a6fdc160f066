package io.kvorum.bench.cli;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.peer.kvorum.KvorumSystem;
import io.kvorum.bench.report.JsonReport;
import io.kvorum.bench.report.Machine;
import io.kvorum.bench.report.Report;
import io.kvorum.bench.report.Summary;
import io.kvorum.bench.report.SvgPlot;
import io.kvorum.bench.report.TableText;
import io.kvorum.bench.run.ClusterRun;
import io.kvorum.bench.run.Plan;
import io.kvorum.bench.system.DataDirectory;
import io.kvorum.bench.system.SystemUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What every command that measures clusters does: checks that all is there, runs the plan, prints
 * the tables and writes the files.
 *
 * @param directory for the servers' data; null: a temporary one
 * @param output gets bench.json and bench.svg
 */
record Benchmark(
    Tools tools, Plan plan, List<SystemUnderTest> systems, @Nullable Path directory, Path output) {
  /**
   * Runs it. The data is removed, but for turns in which something was wrong.
   *
   * @throws IllegalArgumentException if something is missing; then nothing was started
   */
  Report run() throws IOException, InterruptedException {
    // Whatever is missing shows before anything runs.
    Map<String, Map<String, String>> descriptions = descriptions();
    Path data = DataDirectory.take(directory);
    Map<String, String> machine = Machine.describe(tools.proc(), data);
    ClusterRun run = new ClusterRun(plan, systems, data, tools.err()::println);
    run.run();
    Report report = new Report(machine, descriptions, fields(), run.results(), run.wrong());
    print(report, notes(machine));
    if (report.wrong().isEmpty()) {
      Files.delete(data);
    }
    return report;
  }

  /** What a reader of the figures must know. */
  private List<String> notes(Map<String, String> machine) {
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
  }

  private Map<String, Map<String, String>> descriptions() {
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

  private Map<String, Object> fields() {
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
