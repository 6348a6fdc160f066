package io.kvorum.api;

import java.time.Duration;

/**
 * What the answer of a read may rest on. Whatever is chosen, it is the state at one revision, and
 * never one that was not committed.
 */
public sealed interface ReadConsistency {
  /** The default: all that was acknowledged before the call is seen. Rests on no clock. */
  ReadConsistency LINEARIZABLE = new Linearizable();

  /**
   * The same guarantee at the price of a local read, as long as the members' clocks drift apart no
   * faster than they are configured to: the leader answers from its lease, if the cluster keeps
   * leases ({@code lease-reads}) and it holds one, and asks a majority otherwise. A range read or a
   * transaction always asks.
   */
  ReadConsistency LEASE = new Lease();

  /**
   * Whatever the member that is asked has applied, however old that is: the one level that needs
   * neither a leader nor a majority, so it can be read from what a disaster has left. A client asks
   * the leader if it finds one, else any member.
   */
  ReadConsistency STALE = new BoundedStaleness(Duration.ofNanos(Long.MAX_VALUE));

  /**
   * The answer holds at least all that was acknowledged {@code bound} before the call. Any member
   * may give it, at once if it knows something so fresh. No two clocks are compared.
   *
   * @throws IllegalArgumentException if the bound is negative
   */
  static ReadConsistency boundedStaleness(Duration bound) {
    return new BoundedStaleness(bound);
  }

  /** See {@link #LINEARIZABLE}. */
  record Linearizable() implements ReadConsistency {}

  /** See {@link #LEASE}. */
  record Lease() implements ReadConsistency {}

  /**
   * See {@link #boundedStaleness}.
   *
   * @param bound not negative, at most {@link Long#MAX_VALUE} ns, 292 years: {@link #STALE}
   */
  record BoundedStaleness(Duration bound) implements ReadConsistency {
    public BoundedStaleness {
      if (bound.isNegative()) {
        throw new IllegalArgumentException("the bound of staleness is negative: " + bound);
      }
      long unused = bound.toNanos();
    }
  }
}
