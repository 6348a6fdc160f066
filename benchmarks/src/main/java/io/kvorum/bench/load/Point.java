package io.kvorum.bench.load;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a client process is to measure.
 *
 * @param clients calls under way at any time
 * @param warmUpMillis of the same load, before the measurement begins
 * @param pids of the servers, whose use of the machine is measured along with it
 * @param device below the data of the servers
 * @param seed decides which keys are taken
 */
public record Point(
    Workload workload,
    int clients,
    long warmUpMillis,
    long measuredMillis,
    List<Long> pids,
    Device device,
    long seed) {
  /** Copies the list. */
  public Point {
    pids = List.copyOf(pids);
    if (clients < 1 || measuredMillis < 1 || warmUpMillis < 0) {
      throw new IllegalArgumentException(
          "a load has clients and takes time: " + clients + ", " + measuredMillis);
    }
  }

  /** As {@link #parse} reads it. */
  public Fields fields() {
    return new Fields()
        .with("workload", workload.text())
        .with("clients", clients)
        .with("warm_up_millis", warmUpMillis)
        .with("measured_millis", measuredMillis)
        .with("pids", pids.stream().map(String::valueOf).collect(Collectors.joining(",")))
        .with("device", device)
        .with("seed", seed);
  }

  /** Reads what {@link #fields} has written. */
  public static Point parse(Fields fields) {
    return new Point(
        Workload.parse(fields.text("workload")),
        Math.toIntExact(fields.number("clients")),
        fields.number("warm_up_millis"),
        fields.number("measured_millis"),
        Arrays.stream(fields.text("pids").split(",", -1)).map(Long::valueOf).toList(),
        Device.parse(fields.text("device")),
        fields.number("seed"));
  }
}
