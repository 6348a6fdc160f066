package io.kvorum.bench.run;

import io.kvorum.bench.load.Device;
import io.kvorum.bench.load.Outcome;
import io.kvorum.bench.load.Point;
import io.kvorum.bench.load.Workload;
import io.kvorum.bench.report.Result;
import io.kvorum.bench.system.ClientProcess;
import io.kvorum.bench.system.Cluster;
import io.kvorum.bench.system.SystemUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One system's part of a round: fresh servers, all loads, and what is checked in the end. No other
 * system runs meanwhile.
 */
final class Turn {
  private final Plan plan;
  private final SystemUnderTest system;
  private final int round;
  private final Path directory;
  private final Consumer<Result> results;

  /**
   * @param round from 1
   * @param directory does not exist yet
   * @param results told of each measurement as soon as it is made
   */
  Turn(Plan plan, SystemUnderTest system, int round, Path directory, Consumer<Result> results) {
    this.plan = plan;
    this.system = system;
    this.round = round;
    this.directory = directory;
    this.results = results;
  }

  /** Takes it; returns what was found wrong, for a reader. */
  List<String> take() throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path log = directory.resolve("client.log");
    try (Cluster cluster = system.start(directory, plan.nodes());
        ClientProcess client =
            ClientProcess.start(system, cluster, plan.keys(), plan.valueBytes(), log)) {
      client.preload();
      settle(client, cluster);
      List<String> wrong = measureAll(client, cluster);
      wrong.addAll(check(client));
      return wrong;
    }
  }

  private List<String> measureAll(ClientProcess client, Cluster cluster) throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Workload workload : plan.workloads()) {
      if (!system.workloads().contains(workload)) {
        continue;
      }
      for (int clients : plan.clients()) {
        wrong.addAll(measure(client, cluster, workload, clients));
      }
    }
    return wrong;
  }

  private void settle(ClientProcess client, Cluster cluster) throws IOException {
    if (plan.settleSeconds() > 0) {
      int most = plan.clients().stream().mapToInt(count -> count).max().orElseThrow();
      client.measure(point(cluster, Workload.PUT, most, 0, plan.settleSeconds()));
    }
  }

  private List<String> measure(
      ClientProcess client, Cluster cluster, Workload workload, int clients) throws IOException {
    Outcome outcome =
        client.measure(point(cluster, workload, clients, plan.warmUpSeconds(), plan.seconds()));
    results.accept(new Result(system.name(), round, workload, clients, outcome));
    String at = workload.text() + " with " + clients + " clients: ";
    List<String> wrong = new ArrayList<>();
    if (outcome.operations() == 0) {
      wrong.add(at + "nothing succeeded");
    }
    if (outcome.failures() > 0) {
      wrong.add(at + outcome.failures() + " calls failed");
    }
    if (outcome.staleReads() > 0) {
      wrong.add(at + outcome.staleReads() + " reads were stale");
    }
    return wrong;
  }

  private List<String> check(ClientProcess client) throws IOException {
    List<String> wrong = new ArrayList<>();
    long lost = client.verify();
    if (lost > 0) {
      wrong.add(lost + " keys do not hold their last acknowledged value");
    }
    String verdict = client.sample(plan.seed() + round);
    if (!verdict.equals("LINEARIZABLE")) {
      wrong.add("the sample is not linearizable: " + verdict + "; see " + directory);
    }
    return wrong;
  }

  private Point point(Cluster cluster, Workload workload, int clients, int warmUp, int seconds)
      throws IOException {
    return new Point(
        workload,
        clients,
        TimeUnit.SECONDS.toMillis(warmUp),
        TimeUnit.SECONDS.toMillis(seconds),
        cluster.pids(),
        Device.of(directory),
        plan.seed() + round);
  }
}
