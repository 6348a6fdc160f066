package io.kvorum.bench.report;

import io.kvorum.bench.load.Outcome;
import io.kvorum.bench.load.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the rounds of one system at one point came to: of each figure the median, and of the rate
 * the least and the most.
 *
 * @param cpuMicros of all servers together, for each operation
 * @param writtenBytes to the disk, for each operation
 * @param peakRssBytes of the largest server, in any round up to this point
 * @param clientCpuMicros of the client process, for each operation
 * @param failures and stale reads: sums, not medians
 */
public record Summary(
    String system,
    Workload workload,
    int clients,
    int rounds,
    double operationsPerSecond,
    double slowestPerSecond,
    double fastestPerSecond,
    double p50Nanos,
    double p99Nanos,
    double p999Nanos,
    double cpuMicros,
    double clientCpuMicros,
    double writtenBytes,
    long peakRssBytes,
    long failures,
    long staleReads) {

  private record Place(Workload workload, int clients, String system) {}

  /** One for each system at each point, in the order in which they first come. */
  public static List<Summary> of(List<Result> results) {
    Map<Place, List<Outcome>> places = new LinkedHashMap<>();
    for (Result result : results) {
      Place place = new Place(result.workload(), result.clients(), result.system());
      places.computeIfAbsent(place, first -> new ArrayList<>()).add(result.outcome());
    }
    List<Summary> summaries = new ArrayList<>();
    places.forEach((place, outcomes) -> summaries.add(of(place, outcomes)));
    return summaries;
  }

  private static Summary of(Place place, List<Outcome> outcomes) {
    return new Summary(
        place.system(),
        place.workload(),
        place.clients(),
        outcomes.size(),
        Median.of(outcomes, Outcome::operationsPerSecond),
        outcomes.stream().mapToDouble(Outcome::operationsPerSecond).min().orElseThrow(),
        outcomes.stream().mapToDouble(Outcome::operationsPerSecond).max().orElseThrow(),
        Median.of(outcomes, outcome -> outcome.latencies().p50Nanos()),
        Median.of(outcomes, outcome -> outcome.latencies().p99Nanos()),
        Median.of(outcomes, outcome -> outcome.latencies().p999Nanos()),
        Median.of(outcomes, Outcome::serverCpuMicrosPerOperation),
        Median.of(outcomes, Summary::clientCpuMicrosPerOperation),
        Median.of(outcomes, Outcome::writtenBytesPerOperation),
        outcomes.stream().mapToLong(outcome -> outcome.servers().peakRssBytes()).max().orElse(0),
        outcomes.stream().mapToLong(Outcome::failures).sum(),
        outcomes.stream().mapToLong(Outcome::staleReads).sum());
  }

  private static double clientCpuMicrosPerOperation(Outcome outcome) {
    long operations = outcome.operations();
    return operations == 0 ? 0 : (double) outcome.clientCpuMicros() / operations;
  }
}
