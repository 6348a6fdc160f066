package io.kvorum.api;

import java.time.Duration;

/**
 * Makes a write safe to repeat, by whomever: the first one with the key takes effect, and every
 * later one with the same key gets the first one's result, with the header of that time, for as
 * long as the cluster remembers the key. So a process that does not know whether its predecessor
 * has written simply writes again.
 *
 * <p>The cluster remembers a key from a write that took effect on; a transaction whose comparisons
 * did not hold counts as one. It forgets it {@code ttl} later, never earlier, on whatever clocks
 * leases rest on. A write that was rejected is not remembered: the same key may succeed later. The
 * same key with another operation, or the same one with other options, is rejected with {@link
 * KvException.Reason#IDEMPOTENCY_KEY_REUSED}; keys are those of the whole cluster.
 *
 * @param key 1 to {@value #KEY_BYTES_MAX} bytes
 * @param ttl at least 1 ms, at most 30 days; the cluster raises what is shorter than 2 s
 */
public record IdempotencyKey(Bytes key, Duration ttl) {
  /** The longest key. */
  public static final int KEY_BYTES_MAX = 256;

  /** The longest time for which a key is remembered. */
  public static final Duration TTL_MAX = Duration.ofDays(30);

  public IdempotencyKey {
    if (key.isEmpty() || key.size() > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "an idempotency key has 1 to " + KEY_BYTES_MAX + " bytes, not " + key.size());
    }
    if (ttl.compareTo(Duration.ofMillis(1)) < 0 || ttl.compareTo(TTL_MAX) > 0) {
      throw new IllegalArgumentException(
          "an idempotency key lives for 1 ms to " + TTL_MAX.toDays() + " days, not " + ttl);
    }
  }
}
