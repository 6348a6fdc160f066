package io.kvorum.bench.run;

import io.kvorum.bench.load.Workload;
import io.kvorum.bench.store.Values;
import java.util.List;
import java.util.Set;

/**
 * What a benchmark measures.
 *
 * @param workloads in this order
 * @param clients calls under way; each number in turn, in this order
 * @param valueBytes of each value
 * @param nodes servers of each system
 * @param seconds of each measurement
 * @param warmUpSeconds of the same load, before each measurement
 * @param settleSeconds of puts when servers and client have just started: much of what a JVM does
 *     for the first time is slow
 * @param rounds each with fresh servers of every system, one system after the other
 * @param keys that exist when the measurements begin
 * @param seed decides which keys the clients take
 */
public record Plan(
    List<Workload> workloads,
    List<Integer> clients,
    int valueBytes,
    int nodes,
    int seconds,
    int warmUpSeconds,
    int settleSeconds,
    int rounds,
    int keys,
    long seed) {
  private static final int CLIENTS_MAX = 10_000;
  private static final int VALUE_BYTES_MAX = 512 << 10;
  private static final int NODES_MAX = 7;
  private static final int SECONDS_MAX = 3_600;
  private static final int ROUNDS_MAX = 100;
  private static final int KEYS_MAX = 10_000_000;

  /** Names the rule that is broken. */
  public Plan {
    workloads = List.copyOf(workloads);
    clients = List.copyOf(clients);
    checkDistinct("--workload", workloads);
    checkDistinct("--clients", clients);
    clients.forEach(count -> check("--clients", count, 1, CLIENTS_MAX));
    check("--value-bytes", valueBytes, Values.BYTES_MIN, VALUE_BYTES_MAX);
    check("--nodes", nodes, 1, NODES_MAX);
    check("--seconds", seconds, 1, SECONDS_MAX);
    check("--warm-up-seconds", warmUpSeconds, 0, SECONDS_MAX);
    check("--settle-seconds", settleSeconds, 0, SECONDS_MAX);
    check("--rounds", rounds, 1, ROUNDS_MAX);
    check("--keys", keys, 1, KEYS_MAX);
    int most = clients.stream().mapToInt(count -> count).max().orElse(0);
    if (keys < most) {
      throw new IllegalArgumentException(
          "--keys is at least the most --clients, since each writes keys of its own: "
              + keys
              + " < "
              + most);
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is from " + least + " to " + most + ", not " + value);
    }
  }

  private static void checkDistinct(String name, List<?> values) {
    if (values.isEmpty() || Set.copyOf(values).size() < values.size()) {
      throw new IllegalArgumentException(name + " wants different values, not " + values);
    }
  }
}
