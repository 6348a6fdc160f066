package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.Proposal;
import org.jspecify.annotations.Nullable;

/** Why a node did not take a proposal or a read. It was certainly not executed. */
public sealed interface Refusal {
  /**
   * Only the leader takes them.
   *
   * @param leader who leads or is about to, as far as this node knows
   */
  record NotLeader(@Nullable NodeId leader) implements Refusal {}

  /** Too many bytes wait to be committed. */
  record Overloaded(long uncommittedBytes) implements Refusal {}

  /**
   * The disk has too little space for what needs more.
   *
   * @param why which disk, how much it has, and how much it should have
   * @param othersHave whether another voter has more and is about to lead
   */
  record NoSpace(String why, boolean othersHave) implements Refusal {}

  /** It cannot be done so, or not now: what is wrong, and what would be allowed. */
  record Rejected(String why) implements Refusal {}

  /**
   * Not every member has what it needs.
   *
   * @param member the first one that has not
   * @param isReached whether that member said so; if not, nobody has heard what it has
   */
  record Lacking(Feature feature, NodeId member, boolean isReached) implements Refusal {
    /** In words, for a person. */
    public String why() {
      return isReached
          ? "the version of " + member + " does not know " + feature.title() + ": update it"
          : member
              + " is not reached, so it cannot be told whether its version knows "
              + feature.title();
    }
  }

  /** The node is closing, or has failed; or, for a while, its state is not to be believed. */
  record Stopped(String why) implements Refusal {}

  /** Of a node whose state was found to be wrong. Others can be asked. */
  Refusal QUARANTINED = new Stopped("its state is wrong, and is being rebuilt");

  /** What a proposal came to that was not accepted. */
  static Refusal of(Proposal proposal) {
    if (proposal instanceof Proposal.NotLeader other) {
      return new NotLeader(other.leader());
    }
    if (proposal instanceof Proposal.Transferring transferring) {
      return new NotLeader(transferring.target());
    }
    if (proposal instanceof Proposal.Overloaded overloaded) {
      return new Overloaded(overloaded.uncommittedBytes());
    }
    throw new AssertionError("unknown proposal " + proposal);
  }
}
