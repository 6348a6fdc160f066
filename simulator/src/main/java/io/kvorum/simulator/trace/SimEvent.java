package io.kvorum.simulator.trace;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import java.util.List;

/**
 * One thing that happened, at one instant of virtual time. Checkers, the trace, its hash and the
 * diagrams see these and nothing else.
 *
 * <p>Of what one step of a node brings, {@link LogMoved} is told last: it may name what {@link
 * Stored} and {@link RoleTaken} have told of.
 */
public sealed interface SimEvent {
  /** Virtual time since the start of the run. */
  long atNanos();

  /**
   * A node's process has come up.
   *
   * @param life how often a process was started on this machine before
   */
  record Started(long atNanos, NodeId node, int life) implements SimEvent {}

  /** A node's process has ended: killed, without power, or by its own decision. */
  record Stopped(long atNanos, NodeId node, String why) implements SimEvent {}

  /** A message to another member has left. A copy made by the network has a number of its own. */
  record Sent(long atNanos, long messageId, Envelope envelope) implements SimEvent {}

  /** That message has arrived. */
  record Delivered(long atNanos, long messageId, Envelope envelope) implements SimEvent {}

  /** That message never arrives. */
  record Lost(long atNanos, long messageId, Envelope envelope, String why) implements SimEvent {}

  /** A node has another role or term than after its last step. */
  record RoleTaken(long atNanos, NodeId node, long term, RoleName role) implements SimEvent {}

  /** A node's log or commit index differs from what it was after its last step. */
  record LogMoved(long atNanos, NodeId node, EntryId last, long durableIndex, long commitIndex)
      implements SimEvent {}

  /** A node acts by another membership than after its last step, committed or not. */
  record GroupChanged(long atNanos, NodeId node, Membership membership) implements SimEvent {}

  /**
   * Entries of a node's log have become durable as far as the node knows.
   *
   * @param entries consecutive; the first may be at or below earlier ones, which it replaces
   */
  record Stored(long atNanos, NodeId node, List<EntryDigest> entries) implements SimEvent {}

  /**
   * A node's state machine has applied an entry with this result.
   *
   * @param revision of the store afterwards; 0 when it is not known
   */
  record Applied(long atNanos, NodeId node, EntryDigest entry, long resultHash, long revision)
      implements SimEvent {
    /** Of a store whose revision is not known. */
    public Applied(long atNanos, NodeId node, EntryDigest entry, long resultHash) {
      this(atNanos, node, entry, resultHash, 0);
    }
  }

  /** What a node's whole state hashes to at that applied index. */
  record StateHashed(long atNanos, NodeId node, long index, long hash) implements SimEvent {}

  /** What a {@link LeaseTold} tells. */
  enum LeaseNews {
    /** A test uses leases or idempotency keys: what then happens to keys, nobody is told. */
    USED_BY_A_TEST,
    /** A client was told that a lease is granted, for so long. */
    GRANT_ANSWERED,
    /** A client was told that a lease is renewed, for so long. */
    RENEWAL_ANSWERED,
    /** A client was told how much of its time is left. */
    REMAINING_ANSWERED,
    /** A node has applied that it is granted or renewed, for so long. */
    RENEWED,
    /** A node has applied that its time is over. */
    EXPIRED,
    /** A node has applied that somebody has revoked it. */
    REVOKED,
    /** A node has applied how much of its time is left. */
    CHECKPOINT
  }

  /**
   * Something became known about a lease.
   *
   * @param since of an answer, when it was asked for, in nanoseconds of virtual time; else the
   *     entry's index
   * @param millis the time in question
   */
  record LeaseTold(long atNanos, LeaseNews news, long lease, long since, long millis)
      implements SimEvent {}

  /** What a {@link HistoryTold} tells. */
  enum HistoryNews {
    /** Somebody is about to ask that history be given up before the revision. */
    COMPACTING,
    /** A client has read the state at the revision: it hashes to this. */
    READ,
    /** A client was told that the revision is compacted, since the oldest one is this. */
    REFUSED
  }

  /** Something became known about the state at a revision. */
  record HistoryTold(long atNanos, HistoryNews news, long revision, long detail)
      implements SimEvent {}

  /** What a {@link SpaceTold} tells. */
  enum SpaceNews {
    /** What a store has counted, and what all its rows come to. */
    USED,
    /** The same of what a compaction would give back. */
    RECLAIMABLE,
    /** What is used with a command that took effect, at least; and the quota. */
    ACCEPTED,
    /**
     * What would be used with a command that was refused for it, at most; and the quota. Of a
     * command that cannot grow: 0.
     */
    REFUSED
  }

  /** Something became known about how much room a store takes. */
  record SpaceTold(long atNanos, NodeId node, SpaceNews news, long bytes, long otherBytes)
      implements SimEvent {}

  /** What a {@link OnceTold} tells. */
  enum OnceNews {
    /** A client is about to write it; the place is the client whose order counts, or 0. */
    BEGUN,
    /** A client was told that it took effect, at that place. */
    ANSWERED,
    /** A client was told that it certainly did not. */
    FAILED,
    /** In the end it was found at that place. */
    FOUND,
    /** All was found; the counter says so many. */
    COUNTED
  }

  /**
   * Something became known about a write of a token at the end of a log.
   *
   * @param token unique in the run; 0 where none is meant
   * @param place in the log, from 1 on
   */
  record OnceTold(long atNanos, OnceNews news, int log, long token, long place)
      implements SimEvent {}

  /** What a {@link SnapshotTold} tells. */
  enum SnapshotNews {
    /** A node has started, and this is its newest snapshot; 0@0: it has none. */
    FOUND,
    /** Its state machine has written a checkpoint of that state. */
    WRITTEN,
    /** It has a snapshot of that state, taken or received: durable, as far as it knows. */
    PUBLISHED,
    /** Its log begins behind that entry now: what came before was cut, or was so at its start. */
    LOG_CUT,
    /** Its log begins behind that entry now, and is empty. */
    LOG_RESET,
    /** Its state was replaced by that of a snapshot. */
    INSTALLED
  }

  /** Something became known about a snapshot, or the log that is cut behind it. */
  record SnapshotTold(long atNanos, SnapshotNews news, NodeId node, EntryId last)
      implements SimEvent {}

  /** What a {@link StateTold} tells. */
  enum StateNews {
    /** A node takes its state for right: at its start, or when a quarantine is over. */
    SERVING,
    /** It has found its state to be wrong, and is writing that down. */
    MARKING,
    /** It is in quarantine, durably as far as it knows. */
    QUARANTINED,
    /** A state that a fault has changed is known to be right again. */
    TRUSTED
  }

  /**
   * Something became known about whether a node's state is the one it should be.
   *
   * @param index the last applied entry, of {@link StateNews#TRUSTED}; else 0
   */
  record StateTold(long atNanos, StateNews news, NodeId node, long index) implements SimEvent {}

  /**
   * A node has started and knows that its log lacks what it has promised to keep; or says that it
   * is all there again.
   */
  record LogLacks(long atNanos, NodeId node, boolean lacks) implements SimEvent {}

  /** What a {@link Framed} tells. */
  enum FrameNews {
    SENT,
    DELIVERED,
    LOST
  }

  /** A frame about a snapshot has left, arrived, or never arrives. */
  record Framed(long atNanos, FrameNews news, long messageId, NodeId from, NodeId to, String frame)
      implements SimEvent {}

  /** Something was done to the cluster, or undone. */
  record FaultStruck(long atNanos, Fault fault) implements SimEvent {}

  /**
   * A client has called.
   *
   * @param operation unique in the run
   */
  record Called(long atNanos, int client, long operation, ClientOperation call)
      implements SimEvent {}

  /** The call has ended. */
  record Returned(long atNanos, int client, long operation, ClientOutcome outcome)
      implements SimEvent {}

  /**
   * A revision of the store, and what it has changed; told once, by the first who has applied it.
   */
  record Changed(long atNanos, NodeId node, long revision, List<KeyChange> changes)
      implements SimEvent {}

  /**
   * Something of a watch.
   *
   * @param watch unique in the run
   */
  record Watched(long atNanos, int client, int watch, WatchSignal signal) implements SimEvent {}
}
