package io.kvorum.raft;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of its group at one moment.
 *
 * @param leader who leads {@code term}, or null when unknown
 * @param last the last entry of the log, durable or not
 * @param durableIndex up to here this node's log is durable
 * @param membership by which this node acts: the newest in its log, committed or not
 * @param removed whether this node was a member and is known not to be one any more. An entry that
 *     it has not received yet may have made it a member again
 * @param compacted the entry before the first that can still be read
 * @param uncommittedBytes of the leader's log; 0 on others
 * @param pendingReads accepted, and neither answered nor failed
 * @param quiet whether heartbeats and elections rest, since nothing goes on
 * @param stepDown why this node last ceased to lead; null if it never did
 * @param repairing whether the log may lack what this node has promised to keep: it does not vote
 * @param diskStalled whether the disk has not answered for {@link RaftConfig#diskStallTicks}: until
 *     it does, the node neither leads nor votes
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
    Membership membership,
    boolean removed,
    EntryId compacted,
    long uncommittedBytes,
    int pendingReads,
    boolean quiet,
    @Nullable StepDown stepDown,
    boolean repairing,
    boolean diskStalled,
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
    /** Its state machine holds another state than the others': {@link RaftCore#quarantine}. */
    QUARANTINED,
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
   * @param snapshotIndex last index of the snapshot that it is being sent; 0 when none. Compacting
   *     beyond it would make another one necessary
   * @param recentActive whether it was heard within the last election timeout
   */
  public record Progress(
      long matchIndex,
      long nextIndex,
      int inflightMessages,
      long inflightBytes,
      State state,
      long snapshotIndex,
      boolean recentActive) {
    /** Probe: one message until its log is known; replicate: pipelined; snapshot: waits for one. */
    public enum State {
      PROBE,
      REPLICATE,
      SNAPSHOT
    }
  }
}
