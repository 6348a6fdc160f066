package io.kvorum.node;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.Proposal;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One change of the membership, from the call to its end, in as many steps as it takes: nodes that
 * are to vote and are no members yet become learners first; when they have caught up, the core is
 * asked for the change itself, which it makes and leaves by joint consensus (§6).
 *
 * <p>Used on the node's loop.
 */
final class StagedChange {
  private enum Step {
    /** Nothing was proposed yet. */
    FIRST,
    /** The newcomers were proposed as learners. */
    LEARNERS,
    /** They are learners and receive the log. */
    CATCHING_UP,
    /** The change itself was proposed. */
    CHANGE
  }

  private final MembershipChange target;
  private final ProposalListener<Membership> listener;
  private final FeatureGate gate;
  private final int patienceTicks;

  /** Those that are to vote, and did not. */
  private final SortedSet<NodeId> newcomers = new TreeSet<>();

  private Step step = Step.FIRST;
  private long acceptedIndex;

  /** From {@link Step#CATCHING_UP} on. */
  private @Nullable CatchingUp catchingUp;

  /**
   * A change that was not begun.
   *
   * @param patienceTicks how long a learner may make no progress before the change is given up
   */
  StagedChange(
      MembershipChange target,
      ProposalListener<Membership> listener,
      FeatureGate gate,
      int patienceTicks) {
    this.target = target;
    this.listener = listener;
    this.gate = gate;
    this.patienceTicks = patienceTicks;
  }

  /** Takes the first step; says whether this was already the end. */
  boolean begin(RaftCore core) {
    Membership now = core.status().membership();
    SortedSet<NodeId> joining = members(target);
    joining.removeAll(now.members());
    if (isRefused(joining)) {
      return true;
    }
    newcomers.addAll(target.voters());
    newcomers.removeAll(now.voters());
    if (newcomers.isEmpty() || now.isEmpty()) {
      return proposeTarget(core, false);
    }
    MembershipChange withLearners;
    try {
      withLearners = withLearners(now);
    } catch (IllegalArgumentException impossible) {
      listener.refused(new Refusal.Rejected(impossible.getMessage() + "; nothing was changed"));
      return true;
    }
    return now.learners().containsAll(newcomers)
        ? goOn(core)
        : proposed(core.propose(withLearners), Step.LEARNERS);
  }

  /** All are learners, as after a change that was given up, or whose leader was lost. */
  private boolean goOn(RaftCore core) {
    Proposal proposal = core.propose(target);
    if (proposal instanceof Proposal.MembershipRefused) {
      awaitLearners();
      return false;
    }
    return proposed(proposal, Step.CHANGE);
  }

  /** Whoever lacks what the log uses would stop at it: better said than seen. */
  private boolean isRefused(SortedSet<NodeId> joining) {
    String why = gate.refuse(joining);
    if (why != null) {
      listener.refused(new Refusal.Rejected(refusal(why + "; nothing was changed")));
    }
    return why != null;
  }

  /**
   * Ends, since another change is asked for, if this one only waits for learners, and the other one
   * removes some of them, or is the same again: so a change can be taken back, and whoever has lost
   * its answer can ask once more and wait.
   */
  boolean givesWayTo(MembershipChange other) {
    if (step != Step.CATCHING_UP) {
      return false;
    }
    boolean isSame = other.equals(target);
    boolean removes = !members(other).containsAll(newcomers);
    if (isSame) {
      listener.unknown("the same change was asked for once more, and goes on for whoever did that");
    } else if (removes) {
      listener.refused(
          new Refusal.Rejected("given up: the members were changed again, without " + newcomers));
    }
    return isSame || removes;
  }

  private static SortedSet<NodeId> members(MembershipChange change) {
    TreeSet<NodeId> members = new TreeSet<>(change.voters());
    members.addAll(change.learners());
    return members;
  }

  /** How far it is, and what may be done about it, for a person. */
  String progress() {
    return step == Step.CATCHING_UP
        ? newcomers
            + " receive the log as learners, to vote when they have it. Wait for that, or remove"
            + " them, which gives it up"
        : "it is being agreed upon. Try again when it is done";
  }

  private MembershipChange withLearners(Membership now) {
    // Refused here rather than after the learners have been added and fed.
    new Membership(target.voters(), new TreeSet<>(), target.learners(), target.addresses());
    TreeSet<NodeId> learners = new TreeSet<>(now.learners());
    learners.addAll(newcomers);
    TreeMap<NodeId, String> addresses = new TreeMap<>(now.addresses());
    for (NodeId newcomer : newcomers) {
      String address = target.addresses().get(newcomer);
      if (address != null) {
        addresses.put(newcomer, address);
      }
    }
    return new MembershipChange(now.voters(), learners, addresses);
  }

  private void awaitLearners() {
    step = Step.CATCHING_UP;
    catchingUp = new CatchingUp(newcomers, patienceTicks);
  }

  /** Entries are committed; says whether that was the end. */
  boolean committed(List<Entry> entries) {
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.type() == EntryType.MEMBERSHIP && entry.index() >= acceptedIndex) {
        Membership membership = Membership.decode(entry.payload());
        if (step == Step.LEARNERS) {
          awaitLearners();
        } else if (step == Step.CHANGE && !membership.isJoint()) {
          listener.applied(membership);
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Time passes; says whether that was the end.
   *
   * @param fetches as in {@link CatchingUp#isWorthWaiting}
   */
  boolean tick(RaftCore core, Function<NodeId, CatchingUp.@Nullable Fetched> fetches) {
    CatchingUp learners = catchingUp;
    if (step != Step.CATCHING_UP || learners == null) {
      return false;
    }
    if (isRefused(target.voters())) {
      return true;
    }
    RaftStatus now = core.status();
    return proposeTarget(core, learners.isWorthWaiting(now.progress(), now.commitIndex(), fetches));
  }

  /**
   * Says whether this was the end.
   *
   * @param patient whether a refusal may pass
   */
  private boolean proposeTarget(RaftCore core, boolean patient) {
    Proposal proposal = core.propose(target);
    if (patient && proposal instanceof Proposal.MembershipRefused) {
      return false;
    }
    return proposed(proposal, Step.CHANGE);
  }

  private boolean proposed(Proposal proposal, Step next) {
    if (proposal instanceof Proposal.Accepted accepted) {
      acceptedIndex = accepted.id().index();
      step = next;
      return false;
    }
    if (proposal instanceof Proposal.MembershipRefused refused) {
      listener.refused(new Refusal.Rejected(refusal(refused.why())));
      return true;
    }
    if (proposal instanceof Proposal.NotLeader other && step == Step.FIRST) {
      listener.refused(new Refusal.NotLeader(other.leader()));
      return true;
    }
    abandon("this node leads no more");
    return true;
  }

  /** The core's words end with: nothing was changed. That goes for this step alone. */
  private String refusal(String why) {
    return step == Step.CATCHING_UP
        ? newcomers
            + " did not catch up: they stay learners. "
            + why
            + " by the last step. Whether they run, and with this cluster's id, their own logs"
            + " tell; then do the same again, or remove them"
        : why;
  }

  /** Nobody here will learn how it ends. */
  void abandon(@Nullable String why) {
    listener.unknown(why + "; ask for the members to learn how far the change has come");
  }
}
