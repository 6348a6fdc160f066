package io.kvorum.bench.load;

import io.kvorum.node.Clock;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** What ends between a begin and an end, and how long it took. Thread-safe. */
public final class Measurement {
  private static final long LONGEST_NANOS = 600_000_000_000L;
  private static final int DIGITS = 3;

  private final Clock clock;
  private final Recorder recorder = new Recorder(LONGEST_NANOS, DIGITS);
  private final LongAdder failures = new LongAdder();
  private volatile boolean running;
  private long beganAt;
  private long endedAt;
  private Histogram histogram = new Histogram(DIGITS);

  /** Not begun: what ends before that does not count. */
  public Measurement(Clock clock) {
    this.clock = clock;
  }

  /** From here on, what ends counts. */
  public void begin() {
    recorder.reset();
    beganAt = clock.nanoTime();
    running = true;
  }

  /** What ends later does not count. */
  public void end() {
    running = false;
    endedAt = clock.nanoTime();
    histogram = recorder.getIntervalHistogram();
  }

  /** A call has ended well, this long after it was made. */
  void ended(long nanos) {
    ended(nanos, 1);
  }

  /** So many have ended well together, this long after they were begun. */
  public void ended(long nanos, int count) {
    if (running) {
      recorder.recordValueWithCount(Math.min(nanos, LONGEST_NANOS), count);
    }
  }

  /** A call has failed; this counts at any time. */
  void failed() {
    failures.increment();
  }

  /** How many ended. */
  public long operations() {
    return histogram.getTotalCount();
  }

  long failures() {
    return failures.sum();
  }

  /** From the begin to the end. */
  public long nanos() {
    return endedAt - beganAt;
  }

  /** How long they took, in nanoseconds. */
  public Outcome.Latencies latencies() {
    return new Outcome.Latencies(
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(99),
        histogram.getValueAtPercentile(99.9),
        histogram.getMaxValue());
  }
}
