package io.kvorum.simulator.check;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A leader makes a node a voter only if that holds durably what the leader had when it began to
 * feed it: else the group waits for a node that has nothing (thesis §4.2.1).
 */
public final class VotersHaveCaughtUp implements Checker {
  private final DurableLogs logs = new DurableLogs();
  private final Map<NodeId, Membership> actsBy = new HashMap<>();
  private final Map<NodeId, Long> lastIndex = new HashMap<>();

  /** Of each node that leads: its learners, and what each of them has to have before it votes. */
  private final Map<NodeId, Map<NodeId, Long>> due = new HashMap<>();

  @Override
  public String name() {
    return "VotersHaveCaughtUp";
  }

  @Override
  public void on(SimEvent event) {
    logs.on(event);
    if (event instanceof SimEvent.LogMoved moved) {
      lastIndex.put(moved.node(), moved.last().index());
    } else if (event instanceof SimEvent.RoleTaken taken) {
      due.remove(taken.node());
      if (taken.role() == RoleName.LEADER) {
        due.put(taken.node(), new TreeMap<>());
        feeds(taken.node(), actsBy.getOrDefault(taken.node(), Membership.EMPTY));
      }
    } else if (event instanceof SimEvent.Stopped stopped) {
      due.remove(stopped.node());
    } else if (event instanceof SimEvent.GroupChanged changed) {
      Membership before = actsBy.put(changed.node(), changed.membership());
      if (before != null && due.containsKey(changed.node())) {
        checkNewVoters(changed.node(), before, changed.membership());
        feeds(changed.node(), changed.membership());
      }
    }
  }

  private void feeds(NodeId leader, Membership members) {
    Map<NodeId, Long> learners = due.getOrDefault(leader, Map.of());
    for (NodeId learner : members.learners()) {
      learners.putIfAbsent(learner, lastIndex.getOrDefault(leader, 0L));
    }
  }

  private void checkNewVoters(NodeId leader, Membership before, Membership after) {
    for (NodeId voter : after.voters()) {
      if (before.isVoter(voter)) {
        continue;
      }
      Long index = due.getOrDefault(leader, Map.of()).get(voter);
      if (index == null || logs.lastIndex(voter) < index) {
        throw new Violation(
            name(),
            "%s makes %s a voter, which has the log to %d and had to have it to %s first"
                .formatted(leader, voter, logs.lastIndex(voter), index));
      }
    }
  }
}
