package io.kvorum.bench.report;

import io.kvorum.bench.load.Outcome;
import io.kvorum.bench.load.Usage;
import io.kvorum.bench.load.Workload;
import java.util.ArrayList;
import java.util.List;

/** Results that nobody has measured. */
final class Fixed {
  private Fixed() {}

  /** Kvorum and a peer, three rounds of puts with 16 clients. */
  static List<Result> results() {
    List<Result> results = new ArrayList<>();
    for (int round = 1; round <= 3; round++) {
      results.add(result("kvorum", round, 16, 10_000L * round, 1_000_000L * round));
      results.add(result("etcd", round, 16, 1_000L * round, 4_000_000L * round));
    }
    return results;
  }

  /** One second; the servers used 10 µs and the device took 100 bytes for each operation. */
  static Result result(String system, int round, int clients, long operations, long p50Nanos) {
    Outcome outcome =
        new Outcome(
            operations,
            0,
            0,
            1_000_000_000,
            new Outcome.Latencies(p50Nanos, 2 * p50Nanos, 3 * p50Nanos, 4 * p50Nanos),
            new Usage(10 * operations, 0, 100L << 20),
            100 * operations,
            5 * operations);
    return new Result(system, round, Workload.PUT, clients, outcome);
  }
}
