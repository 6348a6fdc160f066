package io.kvorum.raft;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of its group at one moment.
 *
 * @param leader who leads {@code term}, or null when unknown
 * @param last the last entry of the log, durable or not
 * @param durableIndex up to here this node's log is durable
 * @param uncommittedBytes of the leader's log; 0 on others
 * @param pendingReads accepted, and neither answered nor failed
 * @param quiet whether heartbeats and elections rest, since nothing goes on
 * @param stepDown why this node last ceased to lead; null if it never did
 * @param progress of each other member, on the leader; empty on others
 */
public record RaftStatus(
    NodeId self,
    RoleName role,
    long term,
    @Nullable NodeId leader,
    EntryId last,
    long durableIndex,
    long commitIndex,
    long appliedIndex,
    long uncommittedBytes,
    int pendingReads,
    boolean quiet,
    @Nullable StepDown stepDown,
    SortedMap<NodeId, Progress> progress) {

  /** Who does what. */
  public enum RoleName {
    FOLLOWER,
    PRE_CANDIDATE,
    CANDIDATE,
    LEADER,
    LEARNER
  }

  /** Why a node ceased to lead. */
  public enum StepDown {
    /** Somebody has a higher term. */
    HIGHER_TERM,
    /** It heard from no majority for an election timeout. */
    NO_MAJORITY,
    /** It handed the leadership over. */
    TRANSFERRED,
    /** A write was not durable after {@link RaftConfig#diskStallTicks}. */
    DISK_STALLED,
    /** It is no voter any more. */
    REMOVED
  }

  /**
   * How far a follower is.
   *
   * @param matchIndex durable on it
   * @param nextIndex the next entry to send
   * @param inflightMessages AppendEntries with entries that it has not answered
   * @param inflightBytes their bytes
   * @param state how it is fed
   * @param recentActive whether it was heard within the last election timeout
   */
  public record Progress(
      long matchIndex,
      long nextIndex,
      int inflightMessages,
      long inflightBytes,
      State state,
      boolean recentActive) {
    /** Probe: one message until its log is known; replicate: pipelined; snapshot: waits for one. */
    public enum State {
      PROBE,
      REPLICATE,
      SNAPSHOT
    }
  }
}
