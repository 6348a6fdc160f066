package io.kvorum.raft;

/**
 * The promise on which lease reads stand: a node that has heard a leader votes for nobody else for
 * an election timeout, whatever its role is by then (thesis §6.4.1). It outlives the role, since a
 * follower that meets a higher term, loses a connection, or starts to campaign has still promised.
 *
 * <p>A node that starts may have promised just before it died, and has forgotten it: so starting
 * counts as hearing. The one exception is an election that the leader itself asked for: it gave its
 * lease up before it did ({@link LeaderLease#revoke}).
 *
 * <p>With leases off there is no promise, only the stickiness of {@link Role#hearsLeader}.
 */
final class LeaderContact {
  private final boolean promises;
  private final int electionTicks;
  private int ticks;

  LeaderContact(RaftConfig config) {
    promises = config.leaseReads();
    electionTicks = config.electionTicks();
  }

  void heard() {
    ticks = 0;
  }

  void tick() {
    if (ticks < electionTicks) {
      ticks++;
    }
  }

  /** Whether this node must not vote, not even for itself. */
  boolean binds() {
    return promises && ticks < electionTicks;
  }
}
