package io.kvorum.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next try: doubling from {@code min} to {@code max}, less a random
 * part of up to one half, so that many clients do not come back at one instant.
 *
 * @param min after the first failure; positive
 * @param max after many; at least {@code min}
 */
public record Backoff(Duration min, Duration max) {
  public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));

  public Backoff {
    if (min.isNegative() || min.isZero() || max.compareTo(min) < 0) {
      throw new IllegalArgumentException("a backoff needs 0 < min <= max, not " + min + ", " + max);
    }
  }

  /**
   * The wait after so many failures in a row.
   *
   * @param failures 1 or more; there is no number that overflows
   */
  long delayNanos(int failures, RandomGenerator random) {
    long most = max.toNanos();
    long delay = min.toNanos();
    for (int doubled = 1; doubled < failures && delay < most; doubled++) {
      delay = delay > most / 2 ? most : delay * 2;
    }
    return delay - random.nextLong(delay / 2 + 1);
  }
}
