package io.kvorum.bench.load;

import io.kvorum.node.Clock;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** What ends between a begin and an end, and how long it took. Thread-safe. */
final class Measurement {
  private static final long LONGEST_NANOS = 600_000_000_000L;
  private static final int DIGITS = 3;

  private final Clock clock;
  private final Recorder recorder = new Recorder(LONGEST_NANOS, DIGITS);
  private final LongAdder failures = new LongAdder();
  private volatile boolean running;
  private long beganAt;
  private long endedAt;
  private Histogram histogram = new Histogram(DIGITS);

  Measurement(Clock clock) {
    this.clock = clock;
  }

  void begin() {
    recorder.reset();
    beganAt = clock.nanoTime();
    running = true;
  }

  void end() {
    running = false;
    endedAt = clock.nanoTime();
    histogram = recorder.getIntervalHistogram();
  }

  /** A call has ended well, this long after it was made. */
  void ended(long nanos) {
    if (running) {
      recorder.recordValue(Math.min(nanos, LONGEST_NANOS));
    }
  }

  /** A call has failed; this counts at any time. */
  void failed() {
    failures.increment();
  }

  long operations() {
    return histogram.getTotalCount();
  }

  long failures() {
    return failures.sum();
  }

  long nanos() {
    return endedAt - beganAt;
  }

  Outcome.Latencies latencies() {
    return new Outcome.Latencies(
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(99),
        histogram.getValueAtPercentile(99.9),
        histogram.getMaxValue());
  }
}
