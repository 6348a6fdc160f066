package io.kvorum.raft;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the group's membership shall become, whole: whoever is not named is removed. Whether it is
 * allowed is decided when it is proposed; see {@link RaftCore#propose(MembershipChange)}.
 *
 * @param voters who shall decide, in order of name; unmodifiable
 * @param learners who shall only receive the log, in order of name; unmodifiable
 * @param addresses of members; unmodifiable
 */
public record MembershipChange(
    SortedSet<NodeId> voters, SortedSet<NodeId> learners, SortedMap<NodeId, String> addresses) {
  public MembershipChange {
    voters = Collections.unmodifiableSortedSet(new TreeSet<>(voters));
    learners = Collections.unmodifiableSortedSet(new TreeSet<>(learners));
    addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
  }

  /** To these members. */
  public static MembershipChange to(
      Collection<NodeId> voters, Collection<NodeId> learners, Map<NodeId, String> addresses) {
    return new MembershipChange(
        new TreeSet<>(voters), new TreeSet<>(learners), new TreeMap<>(addresses));
  }
}
