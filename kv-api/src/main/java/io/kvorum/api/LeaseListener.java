package io.kvorum.api;

/**
 * Learns what becomes of a lease that the client keeps alive. Called on the client's executor for
 * callbacks.
 */
@FunctionalInterface
public interface LeaseListener {
  /**
   * The lease is over, or nobody can say any more that it is not: called once, and nothing is
   * renewed from then on. It comes no later than the cluster could end the lease, but for the time
   * that other callbacks hold up the executor; {@link KeptLease#isAlive} does not wait for those.
   * Also called when the client is closed, since nobody renews the lease then. Not called after
   * {@link KeptLease#close}.
   *
   * @param why in words
   */
  void lost(long id, String why);

  /**
   * The first renewal has succeeded: from now on {@link KeptLease#isAlive} rests on what the
   * cluster has confirmed, not on the client's patience. Called at most once, before {@link #lost}.
   */
  default void confirmed(long id) {}
}
