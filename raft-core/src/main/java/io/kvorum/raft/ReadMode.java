package io.kvorum.raft;

/**
 * What a read may rest on. All modes but {@link Stale} are linearizable: the answer holds all that
 * was committed before the read was asked for. No mode compares the clocks of two machines.
 */
public sealed interface ReadMode {
  /** On the leader only: a majority confirms that it leads (thesis §6.4). Rests on no clock. */
  ReadMode LINEARIZABLE = new Round();

  /**
   * On the leader only: without a message while its lease holds (thesis §6.4.1), else as {@link
   * #LINEARIZABLE}. Rests on the bound of {@link RaftConfig#clockDriftPermille}.
   */
  ReadMode LEASE = new Lease();

  /** On any member: a follower or learner asks the leader for the index. Rests on no clock. */
  ReadMode FOLLOWER = new AnyMember();

  /**
   * On any member: the answer holds all that was committed up to {@code boundNanos} before the read
   * was asked for, by this node's monotonic clock alone. Answered at once if something so fresh is
   * known, else as {@link #FOLLOWER}. With {@link Long#MAX_VALUE} always at once, from whatever was
   * applied here, also by a node that knows no leader.
   */
  static ReadMode stale(long boundNanos) {
    return new Stale(boundNanos);
  }

  /** See {@link #LINEARIZABLE}. */
  record Round() implements ReadMode {}

  /** See {@link #LEASE}. */
  record Lease() implements ReadMode {}

  /** See {@link #FOLLOWER}. */
  record AnyMember() implements ReadMode {}

  /**
   * See {@link #stale}.
   *
   * @param boundNanos not negative; what a caller could hope for lies above the time of a round
   *     trip
   */
  record Stale(long boundNanos) implements ReadMode {
    public Stale {
      if (boundNanos < 0) {
        throw new IllegalArgumentException("boundNanos must not be negative");
      }
    }
  }
}
