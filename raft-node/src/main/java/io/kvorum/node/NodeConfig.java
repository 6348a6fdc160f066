package io.kvorum.node;

import io.kvorum.raft.Membership;
import io.kvorum.raft.RaftConfig;
import java.time.Duration;

/**
 * The settings of a node.
 *
 * @param raft of the core, in ticks; its tickNanos becomes that of {@code tick}
 * @param membership that the group began with, the same on all that began it; empty on a node that
 *     joins later. What the log says counts more
 * @param tick how long a tick is
 * @param snapshots when they are taken, and what is kept
 */
public record NodeConfig(
    RaftConfig raft, Membership membership, Duration tick, SnapshotConfig snapshots) {
  /** The tick that {@link RaftConfig#of} means. */
  public static final Duration TICK_DEFAULT = Duration.ofMillis(25);

  public NodeConfig {
    if (tick.isZero() || tick.isNegative()) {
      throw new IllegalArgumentException("tick must be positive, was " + tick);
    }
    raft = raft.toBuilder().tickNanos(tick.toNanos()).build();
  }

  /** What the log has said last; as long as it has not, what the group began with. */
  Membership membership(Membership restored) {
    return restored.isEmpty() ? membership : restored;
  }
}
