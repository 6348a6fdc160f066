package io.kvorum.api;

/** A lease that the client renews, until this is closed or the lease is lost. Thread-safe. */
public interface KeptLease extends AutoCloseable {
  /** The lease. */
  long id();

  /**
   * Whether the lease certainly exists now, by what the cluster has confirmed and by this process's
   * clock: false as soon as its time is over, even if nobody has been told yet.
   */
  boolean isAlive();

  /** Ends the renewals; the lease lives on for its time. Closing twice is allowed. */
  @Override
  void close();
}
