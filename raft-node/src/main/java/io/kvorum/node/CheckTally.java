package io.kvorum.node;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the members have said about their states, check by check. Who has said nothing about a check
 * could not compare: that counts for nobody (FAULTS F148).
 */
final class CheckTally {
  private final NavigableMap<Long, NavigableMap<NodeId, StateSum>> byIndex = new TreeMap<>();

  /** A member says what it remembers; what it said before of the same checks is forgotten. */
  void add(NodeId from, Collection<StateSum> sums) {
    for (StateSum sum : sums) {
      byIndex.computeIfAbsent(sum.index(), none -> new TreeMap<>()).put(from, sum);
    }
    while (byIndex.size() > SnapshotFrame.Sums.COUNT_MAX) {
      byIndex.pollFirstEntry();
    }
  }

  void clear() {
    byIndex.clear();
  }

  /** The checks of which anything is known, the newest first. */
  List<Long> indexes() {
    return List.copyOf(byIndex.descendingKeySet());
  }

  /**
   * What a majority of the voters has found behind that check; null if no majority has said the
   * same. While the voters change, both majorities have to.
   */
  @Nullable StateSum agreed(long index, Membership members) {
    for (StateSum sum : of(index).values()) {
      boolean isAgreed =
          isMajority(sum, members.voters())
              && (!members.isJoint() || isMajority(sum, members.outgoing()));
      if (isAgreed) {
        return sum;
      }
    }
    return null;
  }

  private boolean isMajority(StateSum sum, SortedSet<NodeId> voters) {
    long equal = voters.stream().filter(voter -> sum.equals(of(sum.index()).get(voter))).count();
    return 2 * equal > voters.size();
  }

  /** Whether two members have said what cannot both be right. */
  boolean isDisputed(long index, Membership members) {
    Collection<StateSum> said = said(index, members).values();
    return said.stream().anyMatch(one -> said.stream().anyMatch(one::contradicts));
  }

  /** Who has said what, for a person to read. */
  String toText(long index, Membership members) {
    StringBuilder text = new StringBuilder();
    said(index, members)
        .forEach(
            (member, sum) ->
                text.append(text.isEmpty() ? "" : ", ")
                    .append(member)
                    .append(' ')
                    .append(sum.hash()));
    return text.toString();
  }

  private NavigableMap<NodeId, StateSum> said(long index, Membership members) {
    NavigableMap<NodeId, StateSum> said = new TreeMap<>(of(index));
    said.keySet().removeIf(member -> !members.isMember(member));
    return said;
  }

  private NavigableMap<NodeId, StateSum> of(long index) {
    NavigableMap<NodeId, StateSum> sums = byIndex.get(index);
    return sums == null ? new TreeMap<>() : sums;
  }
}
