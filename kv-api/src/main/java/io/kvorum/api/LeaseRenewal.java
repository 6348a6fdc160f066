package io.kvorum.api;

import java.time.Duration;

/**
 * What became of a renewal.
 *
 * @param ttl how long the lease lives, counted from the moment at which the renewal was asked for;
 *     zero: there is no such lease
 */
public record LeaseRenewal(Header header, long id, Duration ttl) {
  /** Whether the lease existed, and was renewed. */
  public boolean isAlive() {
    return !ttl.isZero();
  }
}
