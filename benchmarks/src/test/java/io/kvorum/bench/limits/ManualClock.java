package io.kvorum.bench.limits;

import io.kvorum.node.Clock;

/** Each look at it takes so many nanoseconds. */
final class ManualClock implements Clock {
  private final long stepNanos;
  private long nanos;

  ManualClock(long stepNanos) {
    this.stepNanos = stepNanos;
  }

  @Override
  public long nanoTime() {
    nanos += stepNanos;
    return nanos;
  }

  @Override
  public long wallTimeMillis() {
    return 0;
  }
}
