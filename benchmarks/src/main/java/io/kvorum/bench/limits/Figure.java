package io.kvorum.bench.limits;

import io.kvorum.bench.load.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One limit, as it was measured.
 *
 * @param name sync, tcp, chain or rocksdb
 * @param outstanding records under way at any time; where one batch is under way, its records
 * @param operations records that ended within the time
 * @param batches in which these came: syncs, reads of a socket, batches of the leader, writes
 * @param nanos the time
 * @param p50Nanos of a record, from when it was sent or its batch begun
 * @param p99Nanos likewise
 */
public record Figure(
    String name,
    int outstanding,
    long operations,
    long batches,
    long nanos,
    long p50Nanos,
    long p99Nanos) {
  private static final double NANOS_OF_SECOND = 1e9;
  private static final double NANOS_OF_MICRO = 1e3;

  /** The columns of {@link #row}. */
  static final List<String> HEAD =
      List.of("limit", "outstanding", "ops/s", "batches/s", "p50 µs", "p99 µs");

  /** Records in each second. */
  public double operationsPerSecond() {
    return operations * NANOS_OF_SECOND / nanos;
  }

  /** Batches in each second. */
  public double batchesPerSecond() {
    return batches * NANOS_OF_SECOND / nanos;
  }

  /** For a table. */
  List<String> row() {
    return List.of(
        name,
        Integer.toString(outstanding),
        String.format(Locale.ROOT, "%,.0f", operationsPerSecond()),
        String.format(Locale.ROOT, "%,.0f", batchesPerSecond()),
        String.format(Locale.ROOT, "%,.1f", p50Nanos / NANOS_OF_MICRO),
        String.format(Locale.ROOT, "%,.1f", p99Nanos / NANOS_OF_MICRO));
  }

  /** For scripts: {@code limit name=<x> outstanding=<n> ops=<n> p50_us=<n> p99_us=<n>}. */
  public String line() {
    return "limit "
        + new Fields()
            .with("name", name)
            .with("outstanding", outstanding)
            .with("ops", Math.round(operationsPerSecond()))
            .with("p50_us", Math.round(p50Nanos / NANOS_OF_MICRO))
            .with("p99_us", Math.round(p99Nanos / NANOS_OF_MICRO));
  }

  /** For JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("outstanding", outstanding);
    fields.put("operations", operations);
    fields.put("batches", batches);
    fields.put("nanos", nanos);
    fields.put("operations_per_second", operationsPerSecond());
    fields.put("batches_per_second", batchesPerSecond());
    fields.put("p50_micros", p50Nanos / NANOS_OF_MICRO);
    fields.put("p99_micros", p99Nanos / NANOS_OF_MICRO);
    return fields;
  }
}
