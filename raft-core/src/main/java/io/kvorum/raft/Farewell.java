package io.kvorum.raft;

import java.util.Set;
import java.util.TreeSet;

/**
 * What a leader owes after a removal was committed. Those who were removed should learn of it, or
 * they would campaign later (FAULTS F083); and a leader that was removed itself must not go before
 * those who stay know that it was committed (FAULTS F081). Both are known to know when they answer
 * a round that began after the commit, with a log that reaches it. Nobody is waited for longer than
 * an election timeout.
 */
final class Farewell {
  private final RaftState state;
  private final Set<NodeId> departing = new TreeSet<>();
  private final Set<NodeId> informed = new TreeSet<>();
  private long round;
  private long index;
  private int ticks;

  Farewell(RaftState state) {
    this.state = state;
  }

  /** No member any more, but still sent what happens. */
  void departs(NodeId peer) {
    departing.add(peer);
  }

  /** Whether a peer that was about to go is a member again. */
  boolean returns(NodeId peer) {
    return departing.remove(peer);
  }

  /** Another membership is to be committed first. */
  void postpone() {
    round = 0;
    informed.clear();
  }

  /** Whether a membership was committed that somebody has yet to be told of. */
  boolean isDue() {
    return round == 0 && isOpen();
  }

  /** Whether somebody has yet to learn of a removal. */
  boolean isOpen() {
    return !departing.isEmpty() || isOurs();
  }

  /** Whether this leader itself has been removed for good. */
  boolean isOurs() {
    Configuration configuration = state.configuration;
    return configuration.isCommitted() && !configuration.isVoter(state.self());
  }

  /** The membership is committed; rounds from this one on say so. */
  void begin(long firstRound) {
    round = firstRound;
    index = state.configuration.id().index();
    ticks = 0;
  }

  /** Whether this peer has departed now, and needs to be sent nothing more. */
  boolean answered(NodeId peer, Message.AppendEntriesResponse response) {
    if (round == 0 || response.round() < round || response.match() < index) {
      return false;
    }
    informed.add(peer);
    return departing.remove(peer);
  }

  void tick() {
    if (round > 0) {
      ticks++;
    }
  }

  boolean isOverdue() {
    return round > 0 && ticks >= state.config.electionTicks();
  }

  /** Who has not answered in time. */
  Set<NodeId> takeDeparting() {
    Set<NodeId> taken = new TreeSet<>(departing);
    departing.clear();
    return taken;
  }

  /** Whether this leader may go. */
  boolean isOver() {
    if (!isOurs() || round == 0) {
      return false;
    }
    return isOverdue()
        || state.configuration.electorate().reached(voter -> informed.contains(voter) ? 1 : 0) > 0;
  }
}
