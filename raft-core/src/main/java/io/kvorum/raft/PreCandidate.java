package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import org.jspecify.annotations.Nullable;

/**
 * Asks whether it would be elected before it disturbs anybody with a higher term (thesis §9.6).
 * Nothing of this is remembered, neither here nor by those who answer, so nothing waits for a disk.
 */
final class PreCandidate extends Role {
  private final Ballot ballot;
  private int timeoutTicks;
  private int ticks;

  private PreCandidate(RaftState state) {
    super(state);
    ballot = new Ballot(state.configuration.electorate());
    timeoutTicks = state.drawElectionTimeout();
  }

  static Role start(RaftState state) {
    PreCandidate role = new PreCandidate(state);
    Message request = new Message.RequestVote(state.log.last(), true, false);
    for (NodeId voter : state.configuration.electorate().all()) {
      if (!voter.equals(state.self())) {
        state.sendWithTerm(voter, state.currentTerm() + 1, request);
      }
    }
    return role.count(state.self(), true);
  }

  @Override
  RoleName name() {
    return RoleName.PRE_CANDIDATE;
  }

  @Override
  @Nullable NodeId leader() {
    return null;
  }

  @Override
  boolean hearsLeader() {
    return false;
  }

  @Override
  Role tick() {
    // We may not vote for ourselves.
    if (state.isUnfit()) {
      return new Follower(state, null);
    }
    ticks++;
    return ticks >= timeoutTicks ? start(state) : this;
  }

  @Override
  Role onRequestVoteResponse(NodeId from, long term, Message.RequestVoteResponse response) {
    // A grant names the term it is for; one for another campaign says nothing about this one
    // (FAULTS F005).
    if (!response.preVote() || (response.granted() && term != state.currentTerm() + 1)) {
      return this;
    }
    return count(from, response.granted());
  }

  @Override
  Role onAppendEntries(NodeId from, Message.AppendEntries append) {
    return new Follower(state, from).onAppendEntries(from, append);
  }

  @Override
  Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install) {
    return new Follower(state, from).onInstallSnapshot(from, install);
  }

  @Override
  Role onQuiesce(NodeId from, Message.Quiesce quiesce) {
    return new Follower(state, from).onQuiesce(from, quiesce);
  }

  @Override
  Role onTimeoutNow() {
    return state.isUnfit() ? this : Candidate.start(state, true);
  }

  /** Nobody needs us to lead. */
  @Override
  Role onRemoved() {
    return new Follower(state, null);
  }

  /** A real candidate has our vote: let it win. */
  @Override
  Role onVoteGiven() {
    return new Follower(state, null);
  }

  @Override
  void onStaleCandidate() {
    timeoutTicks = Math.min(timeoutTicks, ticks + state.drawShortDelay());
  }

  private Role count(NodeId voter, boolean granted) {
    return switch (ballot.count(voter, granted)) {
      case WON -> Candidate.start(state, false);
      case LOST -> new Follower(state, null);
      case OPEN -> this;
    };
  }
}
