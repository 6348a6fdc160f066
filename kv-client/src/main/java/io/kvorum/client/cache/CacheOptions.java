package io.kvorum.client.cache;

import java.time.Duration;

/**
 * How a cache works. Start from {@link #DEFAULT}.
 *
 * @param timeout how long a read may wait for the cache to come to a revision
 * @param weightBytesMax the most that a {@link PointCache} holds, keys, values and what they cost
 *     beside; a {@link CachedView} holds its whole range
 * @param clock the time that it lives in
 */
public record CacheOptions(Duration timeout, long weightBytesMax, CacheClock clock) {
  /** Reads wait up to 5 s; 64 MiB. */
  public static final CacheOptions DEFAULT =
      new CacheOptions(Duration.ofSeconds(5), 64L << 20, CacheClock.system());

  public CacheOptions {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout must be positive, not " + timeout);
    }
    if (weightBytesMax < 0) {
      throw new IllegalArgumentException(
          "weightBytesMax must be at least 0, not " + weightBytesMax);
    }
  }

  public CacheOptions withTimeout(Duration time) {
    return new CacheOptions(time, weightBytesMax, clock);
  }

  public CacheOptions withWeightBytesMax(long bytes) {
    return new CacheOptions(timeout, bytes, clock);
  }

  public CacheOptions withClock(CacheClock other) {
    return new CacheOptions(timeout, weightBytesMax, other);
  }
}
