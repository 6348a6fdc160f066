package io.kvorum.api;

import java.time.Duration;

/**
 * How to ask something of the cluster itself.
 *
 * @param timeout from the call to the end of its future. A node that joins receives the whole log
 *     before it may vote, which takes as long as it takes
 */
public record AdminOptions(Duration timeout) {
  public static final AdminOptions DEFAULT = new AdminOptions(Duration.ofMinutes(5));

  public AdminOptions {
    if (timeout.isNegative() || timeout.isZero() || timeout.toDays() > 1) {
      throw new IllegalArgumentException(
          "timeout must be positive and at most a day, was " + timeout);
    }
  }

  public AdminOptions withTimeout(Duration time) {
    return new AdminOptions(time);
  }
}
