package io.kvorum.raft;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The leader's part in a change of the membership (§6): what may be proposed, what follows when it
 * is committed, and which peers are sent the log meanwhile.
 */
final class MembershipChanges {
  private static final String UNCHANGED = "; nothing was changed";

  private final RaftState state;
  private final SortedMap<NodeId, Progress> progress;
  private final long firstIndex;
  private final SortedMap<NodeId, CatchUp> catchUps = new TreeMap<>();
  private final Farewell farewell;

  /**
   * Takes over from an earlier leader.
   *
   * @param progress kept equal to the members by this
   * @param firstIndex of the entry that opens the term
   */
  MembershipChanges(RaftState state, SortedMap<NodeId, Progress> progress, long firstIndex) {
    this.state = state;
    this.progress = progress;
    this.firstIndex = firstIndex;
    farewell = new Farewell(state);
    reconcile(firstIndex);
  }

  /**
   * Feeds all members but ourselves, and those who are about to go (FAULTS F087).
   *
   * @param nextIndex the first entry to be sent to those who are new
   */
  void reconcile(long nextIndex) {
    farewell.postpone();
    Configuration configuration = state.configuration;
    long lastIndex = state.log.lastIndex();
    int electionTicks = state.config.electionTicks();
    for (NodeId peer : configuration.peers()) {
      // A name that comes back may have lost what it had: it is asked anew.
      if (farewell.returns(peer) || !progress.containsKey(peer)) {
        progress.put(peer, new Progress(state.config, nextIndex));
      }
      if (!configuration.isVoter(peer)) {
        catchUps.computeIfAbsent(peer, p -> new CatchUp(electionTicks, lastIndex));
      }
    }
    for (NodeId peer : progress.keySet()) {
      if (!configuration.membership().isMember(peer)) {
        farewell.departs(peer);
      }
    }
    catchUps.keySet().removeIf(peer -> !configuration.membership().learners().contains(peer));
  }

  /** Why this change cannot be begun now, or null if it can. */
  @Nullable String refusal(MembershipChange change) {
    Configuration configuration = state.configuration;
    Membership current = configuration.membership();
    String why = null;
    if (farewell.isOurs()) {
      why = "this node was removed and is about to hand over: ask the next leader";
    } else if (state.log.commitIndex() < firstIndex) {
      // A change on top of another that we do not know to be committed (FAULTS F077).
      why = "the first entry of term " + state.currentTerm() + " is not committed: try again";
    } else if (current.isJoint() || !configuration.isCommitted()) {
      why = "another change is under way (" + current + "): try again when it is committed";
    } else if (change.voters().isEmpty()) {
      why = "a group needs at least one voter";
    } else {
      why = problem(change);
    }
    if (why == null && next(change).equals(current)) {
      why = "this is the membership already (" + current + ")";
    }
    if (why == null) {
      why = unready(change);
    }
    return why == null ? null : why + UNCHANGED;
  }

  private @Nullable String problem(MembershipChange change) {
    TreeSet<NodeId> none = new TreeSet<>();
    String why = Membership.problem(change.voters(), none, change.learners(), change.addresses());
    if (why != null) {
      return why;
    }
    // While joint, the old voters are members too.
    return Membership.problem(
        change.voters(),
        state.configuration.membership().voters(),
        change.learners(),
        new TreeMap<>());
  }

  /** Whether the new voters could go on deciding at once (FAULTS F086, F089). */
  private @Nullable String unready(MembershipChange change) {
    int heard = 0;
    for (NodeId voter : change.voters()) {
      Progress p = progress.get(voter);
      boolean isActive =
          p == null ? voter.equals(state.self()) : p.isActive(state.config.electionTicks());
      heard += isActive ? 1 : 0;
      if (voter.equals(state.self()) || state.configuration.isVoter(voter)) {
        continue;
      }
      CatchUp catchUp = catchUps.get(voter);
      if (p == null || catchUp == null) {
        return "%s is no member, so it may hold nothing: add it as a learner first, it is %d"
                .formatted(voter, state.log.lastIndex())
            + " entries behind";
      }
      if (!isActive || !catchUp.isDone()) {
        return "learner %s is not caught up, it is %d entries behind%s: try again when it is"
            .formatted(
                voter,
                state.log.lastIndex() - p.matchIndex(),
                isActive ? "" : " and was not heard of late");
      }
    }
    int majority = Quorum.majority(change.voters().size());
    if (heard < majority) {
      return "only %d of the voters %s were heard of late, and %d must agree: start the others"
          .formatted(heard, change.voters(), majority);
    }
    return null;
  }

  /** The membership to be appended for this change: joint, unless the voters stay the same. */
  Membership next(MembershipChange change) {
    Membership current = state.configuration.membership();
    if (change.voters().equals(current.voters())) {
      return new Membership(
          change.voters(), new TreeSet<>(), change.learners(), change.addresses());
    }
    TreeMap<NodeId, String> addresses = new TreeMap<>(current.addresses());
    addresses.keySet().retainAll(current.voters());
    addresses.putAll(change.addresses());
    return new Membership(change.voters(), current.voters(), change.learners(), addresses);
  }

  /** Whether no change is under way, and whoever was removed has been told or given up. */
  boolean isSettled() {
    Configuration configuration = state.configuration;
    return configuration.isCommitted()
        && !configuration.membership().isJoint()
        && !farewell.isOpen();
  }

  /** Whether a joint membership is committed, and so to be left now. */
  boolean isLeaveDue() {
    return state.configuration.membership().isJoint()
        && state.configuration.isCommitted()
        && state.log.commitIndex() >= firstIndex;
  }

  /** Whether a round has to begin that tells of a removal; its number comes with the next call. */
  boolean isFarewellDue() {
    return state.configuration.isCommitted() && !isLeaveDue() && farewell.isDue();
  }

  void beginFarewell(long round) {
    farewell.begin(round);
  }

  void acknowledged(NodeId from, Progress p, Message.AppendEntriesResponse response) {
    CatchUp catchUp = catchUps.get(from);
    if (catchUp != null) {
      catchUp.matched(p.matchIndex(), state.log.lastIndex());
    }
    if (farewell.answered(from, response)) {
      progress.remove(from);
    }
  }

  void tick() {
    catchUps.values().forEach(CatchUp::tick);
    farewell.tick();
    if (farewell.isOverdue()) {
      for (NodeId peer : farewell.takeDeparting()) {
        progress.remove(peer);
      }
    }
  }

  /** Whether this leader was removed for good, and takes nothing on any more. */
  boolean isLeaving() {
    return farewell.isOurs();
  }

  /** Whether it has also said so to enough of the others. */
  boolean hasLeft() {
    return farewell.isOver() && state.appliedIndex() >= state.configuration.id().index();
  }

  /** Of the voters who stay, one that has most of the log: it should lead next. */
  NodeId successor() {
    NodeId best = state.configuration.electorate().all().get(0);
    for (NodeId voter : state.configuration.electorate().all()) {
      if (matchOf(voter) > matchOf(best)) {
        best = voter;
      }
    }
    return best;
  }

  private long matchOf(NodeId voter) {
    Progress p = progress.get(voter);
    return p == null ? 0 : p.matchIndex();
  }

  /** Whether it is certain that this node is no member any more. */
  boolean isStranger(NodeId node) {
    Configuration configuration = state.configuration;
    return configuration.isCommitted()
        && !configuration.membership().isJoint()
        && !configuration.membership().isMember(node);
  }
}
