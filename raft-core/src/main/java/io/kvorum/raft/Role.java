package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import org.jspecify.annotations.Nullable;

/**
 * What a member is at the moment (§5.1). A handler does what the event asks for and returns what
 * the member is afterwards: itself, or the next role. Each role owns the fields that die with it.
 *
 * <p>When a handler is called, the term rule has been applied: messages are of our term, except
 * pre-votes and their grants, which carry the term that is campaigned for.
 */
abstract sealed class Role permits Follower, PreCandidate, Candidate, Leader {
  final RaftState state;

  Role(RaftState state) {
    this.state = state;
  }

  abstract RoleName name();

  /** Who leads this term, as far as it is known. */
  abstract @Nullable NodeId leader();

  /** Whether a leader was heard so lately that no election is needed (§6, thesis §4.2.3). */
  abstract boolean hearsLeader();

  abstract Role tick();

  /** A message of our term, or a question about a later one. */
  final Role on(NodeId from, long term, Message message) {
    if (message instanceof Message.AppendEntries append) {
      return onAppendEntries(from, append);
    }
    if (message instanceof Message.AppendEntriesResponse response) {
      return onAppendEntriesResponse(from, response);
    }
    if (message instanceof Message.RequestVote request) {
      return onRequestVote(from, term, request);
    }
    if (message instanceof Message.RequestVoteResponse response) {
      return onRequestVoteResponse(from, term, response);
    }
    if (message instanceof Message.TimeoutNow) {
      return onTimeoutNow();
    }
    if (message instanceof Message.InstallSnapshot install) {
      return onInstallSnapshot(from, install);
    }
    if (message instanceof Message.ReadIndex request) {
      return onReadIndex(from, request);
    }
    if (message instanceof Message.ReadIndexResponse response) {
      return onReadIndexResponse(response);
    }
    if (message instanceof Message.Quiesce quiesce) {
      return onQuiesce(from, quiesce);
    }
    if (message instanceof Message.QuiesceResponse response) {
      return onQuiesceResponse(from, response);
    }
    throw new AssertionError("unknown message " + message);
  }

  abstract Role onAppendEntries(NodeId from, Message.AppendEntries append);

  abstract Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install);

  /** Our vote in this term went to somebody else. */
  abstract Role onVoteGiven();

  /**
   * Somebody misses the leader like us, and cannot win against our log. So it is up to us, or to
   * one that is fresher still, and the full silence need not be waited out.
   */
  void onStaleCandidate() {}

  Role onRequestVoteResponse(NodeId from, long term, Message.RequestVoteResponse response) {
    return this;
  }

  Role onAppendEntriesResponse(NodeId from, Message.AppendEntriesResponse response) {
    return this;
  }

  Role onTimeoutNow() {
    return this;
  }

  /** Who does not lead cannot confirm anything, and says so. */
  Role onReadIndex(NodeId from, Message.ReadIndex request) {
    state.send(from, new Message.ReadIndexResponse(request.attempt(), 0));
    return this;
  }

  Role onReadIndexResponse(Message.ReadIndexResponse response) {
    return this;
  }

  /** A leader of our term proposes silence. */
  abstract Role onQuiesce(NodeId from, Message.Quiesce quiesce);

  Role onQuiesceResponse(NodeId from, Message.QuiesceResponse response) {
    return this;
  }

  /** Takes a read, or refuses it with false. */
  boolean read(long readId, ReadMode mode) {
    return false;
  }

  /** Reads that are neither answered nor failed. */
  int pendingReads() {
    return 0;
  }

  /** Whether heartbeats and elections rest. */
  boolean isQuiet() {
    return false;
  }

  /** Something happens: who was quiet starts to count time again, from the beginning. */
  void wake() {}

  /**
   * Somebody asked here for what only a leader can do. If none is there to speak, that must come
   * out.
   */
  void seekLeader() {}

  /** Whether {@link #flush} has something to say. */
  boolean isFlushDue() {
    return false;
  }

  /** Says what was noted since the last call. */
  void flush() {}

  /** Some write has become durable. */
  Role onDurable() {
    return this;
  }

  Role onUnreachable(NodeId peer) {
    return this;
  }

  /** The log and the state machine were replaced by a snapshot. */
  Role onInstalled() {
    return this;
  }

  /** A leader has told us that we were removed. */
  Role onRemoved() {
    return this;
  }

  /** Another role follows. */
  void leave() {}

  /**
   * RequestVote (§5.2, §5.4.1) is answered alike by every role. It does not ask who the candidate
   * is: our own idea of the membership may be the old one (FAULTS F083, F084).
   */
  Role onRequestVote(NodeId from, long term, Message.RequestVote request) {
    boolean upToDate = request.last().compareTo(state.log.last()) >= 0;
    if (!upToDate && !hearsLeader()) {
      onStaleCandidate();
    }
    NodeId votedFor = state.votedFor();
    boolean free = votedFor == null ? leader() == null : votedFor.equals(from);
    // With a stalled disk no vote becomes durable, and a promise to a leader is one. While our log
    // may lack what we have promised, we cannot say who is up to date.
    boolean may = !state.isUnfit() && (request.transfer() || !state.contact.binds());

    // A trial run. It asks what we would say in that term, and binds us to nothing (thesis §9.6).
    // A grant carries the term asked about, a refusal ours, from which a node behind may learn.
    if (request.preVote()) {
      boolean granted = may && upToDate && !hearsLeader() && (term > state.currentTerm() || free);
      state.sendWithTerm(
          from,
          granted ? term : state.currentTerm(),
          new Message.RequestVoteResponse(granted, true));
      return this;
    }
    // Our vote is taken, or a log is behind ours that may hold what is committed.
    if (!may || !free || !upToDate) {
      state.send(from, new Message.RequestVoteResponse(false, false));
      return this;
    }
    state.vote(from);
    state.send(from, new Message.RequestVoteResponse(true, false));
    return onVoteGiven();
  }
}
