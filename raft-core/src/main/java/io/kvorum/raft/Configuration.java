package io.kvorum.raft;

import java.util.List;
import java.util.TreeSet;

/**
 * Who is in the group, as this node sees it: the one place where that is derived. For now it is the
 * membership of the state that the node started from; the log cannot change it yet.
 */
final class Configuration {
  private final NodeId self;
  private final Membership membership;
  private final List<NodeId> voters;
  private final List<NodeId> peers;

  Configuration(NodeId self, SnapshotMeta applied) {
    this.self = self;
    membership = applied.membership();
    voters = List.copyOf(membership.voters());
    TreeSet<NodeId> others = new TreeSet<>(membership.voters());
    others.addAll(membership.learners());
    others.remove(self);
    peers = List.copyOf(others);
  }

  /** Refuses what this version could only misread. */
  static void check(Entry entry) {
    if (entry.type() == EntryType.MEMBERSHIP) {
      throw new InvariantViolation(
          "entry " + entry.id() + " changes the membership: it comes from a newer version");
    }
  }

  NodeId self() {
    return self;
  }

  Membership membership() {
    return membership;
  }

  /** In order of name. */
  List<NodeId> voters() {
    return voters;
  }

  /** All members but this one, in order of name. */
  List<NodeId> peers() {
    return peers;
  }

  boolean isVoter(NodeId node) {
    return membership.isVoter(node);
  }

  /** Whether this node may lead. */
  boolean selfVotes() {
    return membership.isVoter(self);
  }

  boolean isSoleVoter() {
    return voters.size() == 1 && selfVotes();
  }
}
