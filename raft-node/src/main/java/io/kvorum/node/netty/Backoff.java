package io.kvorum.node.netty;

import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: twice as long after each failure, from 20 ms to 1 s, of
 * which a random part of up to a half is left off, so that nodes which lost each other at one
 * moment do not come back at one moment.
 */
final class Backoff {
  static final long MIN_NANOS = 20_000_000;
  static final long MAX_NANOS = 1_000_000_000;

  private final RandomGenerator random;
  private long next = MIN_NANOS;

  Backoff(RandomGenerator random) {
    this.random = random;
  }

  /** The wait before the attempt that is made next. */
  long nextNanos() {
    long limit = next;
    next = Math.min(2 * next, MAX_NANOS);
    return limit - random.nextLong(limit / 2);
  }

  /** The attempts have led to a connection that held. */
  void reset() {
    next = MIN_NANOS;
  }
}
