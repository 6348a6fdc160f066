package io.kvorum.api;

import java.time.Duration;
import java.util.List;

/**
 * What the leader knows of a lease.
 *
 * @param ttl as granted; zero: there is no such lease
 * @param remaining how long it still lives if nobody renews it; zero: it ends soon
 * @param keys that hang on it, in order; empty unless asked for
 */
public record LeaseStatus(
    Header header, long id, Duration ttl, Duration remaining, List<Bytes> keys) {
  public LeaseStatus {
    keys = List.copyOf(keys);
  }

  /** Whether there is such a lease. */
  public boolean exists() {
    return !ttl.isZero();
  }
}
