package io.kvorum.raft;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The members of a group (§6).
 *
 * @param voters those whose majority decides, in order of name; unmodifiable
 * @param learners those who only receive the log, in order of name; unmodifiable
 */
public record Membership(SortedSet<NodeId> voters, SortedSet<NodeId> learners) {
  public Membership {
    voters = Collections.unmodifiableSortedSet(new TreeSet<>(voters));
    learners = Collections.unmodifiableSortedSet(new TreeSet<>(learners));
    if (voters.isEmpty()) {
      throw new IllegalArgumentException("a group without voters");
    }
    if (!Collections.disjoint(voters, learners)) {
      throw new IllegalArgumentException("both voter and learner: " + voters + ", " + learners);
    }
  }

  /** A group of voters only. */
  public static Membership of(Collection<NodeId> voters) {
    return new Membership(new TreeSet<>(voters), new TreeSet<>());
  }

  public boolean isVoter(NodeId node) {
    return voters.contains(node);
  }

  /** The smallest number of voters of which any two sets share a member. */
  public int majority() {
    return voters.size() / 2 + 1;
  }
}
