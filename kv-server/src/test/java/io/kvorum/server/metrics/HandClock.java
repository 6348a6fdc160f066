package io.kvorum.server.metrics;

import io.micrometer.core.instrument.Clock;
import java.time.Duration;

/** Stands still until it is moved. */
final class HandClock implements Clock {
  private long nanos = 1_000_000_000;

  void advance(Duration time) {
    nanos += time.toNanos();
  }

  @Override
  public long wallTime() {
    return nanos / 1_000_000;
  }

  @Override
  public long monotonicTime() {
    return nanos;
  }
}
