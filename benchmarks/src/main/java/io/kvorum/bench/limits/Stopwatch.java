package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import io.kvorum.node.Clock;
import java.io.IOException;

/**
 * Takes a step again and again on the calling thread: for a while that does not count, in which the
 * JVM compiles what it runs, and then for the measured time.
 *
 * @param warmUpNanos 0 or more
 * @param measuredNanos at least one step is taken, however short this is
 */
record Stopwatch(Clock clock, long warmUpNanos, long measuredNanos) {

  Figure measure(String name, int outstanding, Step step) throws IOException {
    Measurement measurement = new Measurement(clock);
    repeat(step, measurement, warmUpNanos);
    measurement.begin();
    long batches = repeat(step, measurement, measuredNanos);
    measurement.end();
    return new Figure(
        name,
        outstanding,
        measurement.operations(),
        batches,
        measurement.nanos(),
        measurement.latencies().p50Nanos(),
        measurement.latencies().p99Nanos());
  }

  private long repeat(Step step, Measurement measurement, long nanos) throws IOException {
    long begin = clock.nanoTime();
    long batches = 0;
    do {
      batches += step.run(measurement);
    } while (clock.nanoTime() - begin < nanos);
    return batches;
  }
}
