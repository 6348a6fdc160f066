package io.kvorum.bench.run;

import io.kvorum.bench.report.Result;
import io.kvorum.bench.system.DataDirectory;
import io.kvorum.bench.system.SystemUnderTest;
import io.kvorum.cli.process.ServerProcessException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * All rounds. In each, every system takes its turn alone; the next round begins with the next
 * system, so that what changes on the machine with time meets all of them.
 */
public final class ClusterRun {
  private final Plan plan;
  private final List<SystemUnderTest> systems;
  private final Path directory;
  private final Consumer<String> progress;
  private final List<Result> results = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  /**
   * @param directory for data and logs; exists
   * @param progress told in a line what was just measured
   */
  public ClusterRun(
      Plan plan, List<SystemUnderTest> systems, Path directory, Consumer<String> progress) {
    this.plan = plan;
    this.systems = List.copyOf(systems);
    this.directory = directory;
    this.progress = progress;
  }

  /** Runs them; a turn that cannot be taken to its end is one more thing that is wrong. */
  public void run() throws InterruptedException {
    for (int round = 1; round <= plan.rounds(); round++) {
      List<SystemUnderTest> order = new ArrayList<>(systems);
      Collections.rotate(order, 1 - round);
      for (SystemUnderTest system : order) {
        turn(system, round);
      }
    }
  }

  /** What was measured, in that order. */
  public List<Result> results() {
    return List.copyOf(results);
  }

  /** What was found wrong, for a reader; empty: nothing. */
  public List<String> wrong() {
    return List.copyOf(wrong);
  }

  private void turn(SystemUnderTest system, int round) throws InterruptedException {
    Path own = directory.resolve(round + "-" + system.name());
    List<String> found;
    try {
      found = new Turn(plan, system, round, own, this::measured).take();
    } catch (IOException | UncheckedIOException | ServerProcessException failed) {
      found = List.of(failed.getMessage() + "; logs in " + own);
    }
    for (String what : found) {
      wrong.add(system.name() + " in round " + round + ": " + what);
      progress.accept(wrong.get(wrong.size() - 1));
    }
    if (found.isEmpty()) {
      DataDirectory.delete(own);
    }
  }

  private void measured(Result result) {
    results.add(result);
    progress.accept(
        String.format(
            Locale.ROOT,
            "round %d/%d  %-9s  %-5s  %5d clients  %,9.0f/s  p50 %.2f ms  p99 %.2f ms",
            result.round(),
            plan.rounds(),
            result.system(),
            result.workload().text(),
            result.clients(),
            result.outcome().operationsPerSecond(),
            result.outcome().latencies().p50Nanos() / 1e6,
            result.outcome().latencies().p99Nanos() / 1e6));
  }
}
