package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import org.jspecify.annotations.Nullable;

/**
 * Asks to be elected (§5.2). Its own vote counts when it is durable, and the requests wait for that
 * too, since they promise that this node votes for nobody else in the term (FAULTS F001).
 */
final class Candidate extends Role {
  private final Ballot ballot;
  private int timeoutTicks;
  private int ticks;

  private Candidate(RaftState state) {
    super(state);
    ballot = new Ballot(state.configuration.electorate());
    timeoutTicks = state.drawElectionTimeout();
  }

  /**
   * Enters the next term.
   *
   * @param transfer whether the leader asked for it
   */
  static Candidate start(RaftState state, boolean transfer) {
    state.enterTerm(state.currentTerm() + 1);
    state.vote(state.self());
    Message request = new Message.RequestVote(state.log.last(), false, transfer);
    for (NodeId voter : state.configuration.electorate().all()) {
      if (!voter.equals(state.self())) {
        state.send(voter, request);
      }
    }
    return new Candidate(state);
  }

  @Override
  RoleName name() {
    return RoleName.CANDIDATE;
  }

  @Override
  @Nullable NodeId leader() {
    return null;
  }

  @Override
  boolean hearsLeader() {
    return false;
  }

  /**
   * No decision: ask first whether a further term would help (FAULTS F009). The time runs from when
   * the requests have left; a slow disk is no reason for a further term.
   */
  @Override
  Role tick() {
    if (state.writes.hardStateIsDurable()) {
      ticks++;
    }
    return ticks >= timeoutTicks ? PreCandidate.start(state) : this;
  }

  @Override
  Role onDurable() {
    return state.writes.hardStateIsDurable() ? count(state.self(), true) : this;
  }

  @Override
  Role onRequestVoteResponse(NodeId from, long term, Message.RequestVoteResponse response) {
    return response.preVote() ? this : count(from, response.granted());
  }

  /** A rival in our term splits the vote. Whoever asks again first should soon do so. */
  @Override
  Role onRequestVote(NodeId from, long term, Message.RequestVote request) {
    if (!request.preVote()) {
      int retry = ticks + state.config.heartbeatTicks() + state.drawShortDelay();
      timeoutTicks = Math.min(timeoutTicks, retry);
    }
    return super.onRequestVote(from, term, request);
  }

  @Override
  Role onAppendEntries(NodeId from, Message.AppendEntries append) {
    return new Follower(state, from).onAppendEntries(from, append);
  }

  @Override
  Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install) {
    return new Follower(state, from).onInstallSnapshot(from, install);
  }

  /** Nobody needs us to lead. */
  @Override
  Role onRemoved() {
    return new Follower(state, null);
  }

  @Override
  Role onQuiesce(NodeId from, Message.Quiesce quiesce) {
    return new Follower(state, from).onQuiesce(from, quiesce);
  }

  @Override
  Role onVoteGiven() {
    throw new InvariantViolation("a candidate has voted for itself");
  }

  private Role count(NodeId voter, boolean granted) {
    return switch (ballot.count(voter, granted)) {
      case WON -> new Leader(state);
      case LOST -> new Follower(state, null);
      case OPEN -> this;
    };
  }
}
