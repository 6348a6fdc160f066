package io.kvorum.bench.load;

/**
 * What a client process has measured.
 *
 * @param operations that ended within the time
 * @param failures operations that failed, at any time of the load
 * @param staleReads reads that returned less than was acknowledged before they began, or more than
 *     was asked for before they ended
 * @param servers what the servers used within the time
 * @param deviceWrittenBytes to the disk below the servers, by whomever, within the time
 * @param clientCpuMicros what the client process used within the time
 */
public record Outcome(
    long operations,
    long failures,
    long staleReads,
    long nanos,
    Latencies latencies,
    Usage servers,
    long deviceWrittenBytes,
    long clientCpuMicros) {

  /**
   * From the call to the end of its future; watches: to the event.
   *
   * @param p50Nanos half of the operations took at most this long, and so on
   */
  public record Latencies(long p50Nanos, long p99Nanos, long p999Nanos, long maxNanos) {}

  /** As {@link #parse} reads it. */
  public Fields fields() {
    return new Fields()
        .with("operations", operations)
        .with("failures", failures)
        .with("stale_reads", staleReads)
        .with("nanos", nanos)
        .with("p50_nanos", latencies.p50Nanos())
        .with("p99_nanos", latencies.p99Nanos())
        .with("p999_nanos", latencies.p999Nanos())
        .with("max_nanos", latencies.maxNanos())
        .with("servers_cpu_micros", servers.cpuMicros())
        .with("servers_written_bytes", servers.writtenBytes())
        .with("servers_peak_rss_bytes", servers.peakRssBytes())
        .with("device_written_bytes", deviceWrittenBytes)
        .with("client_cpu_micros", clientCpuMicros);
  }

  /** Reads what {@link #fields} has written. */
  public static Outcome parse(Fields fields) {
    return new Outcome(
        fields.number("operations"),
        fields.number("failures"),
        fields.number("stale_reads"),
        fields.number("nanos"),
        new Latencies(
            fields.number("p50_nanos"),
            fields.number("p99_nanos"),
            fields.number("p999_nanos"),
            fields.number("max_nanos")),
        new Usage(
            fields.number("servers_cpu_micros"),
            fields.number("servers_written_bytes"),
            fields.number("servers_peak_rss_bytes")),
        fields.number("device_written_bytes"),
        fields.number("client_cpu_micros"));
  }

  /** A second of the measured time. */
  public double operationsPerSecond() {
    return operations / (nanos / 1e9);
  }

  /** Of all servers together; 0 if there was no operation. */
  public double serverCpuMicrosPerOperation() {
    return operations == 0 ? 0 : (double) servers.cpuMicros() / operations;
  }

  /** To the disk, for all servers together; 0 if there was no operation. */
  public double writtenBytesPerOperation() {
    return operations == 0 ? 0 : (double) deviceWrittenBytes / operations;
  }
}
