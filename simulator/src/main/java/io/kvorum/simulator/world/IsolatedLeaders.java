package io.kvorum.simulator.world;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A leader that hears no majority any more notices it and leads no longer (thesis §6.2, FAULTS
 * F007). Counted in heartbeats that it sends, so that a pause in which it can notice nothing costs
 * it nothing.
 */
final class IsolatedLeaders {
  private static final long MILLI_NANOS = 1_000_000;

  private static final class Leader {
    private final Set<NodeId> heard = new TreeSet<>();
    private long lastBeatNanos;
    private int beats;
  }

  private final World world;
  private final long beatNanos;
  private final int beatsMax;
  private final Map<NodeId, Membership> actsBy = new HashMap<>();
  private final Map<NodeId, Leader> leaders = new HashMap<>();

  IsolatedLeaders(World world) {
    this.world = world;
    Tuning tuning = world.options().tuning();
    this.beatNanos = tuning.heartbeatMillis() * MILLI_NANOS;
    // It looks once in an election timeout, and what it heard just after one look counts for the
    // next.
    this.beatsMax = 3 * tuning.electionMillis() / tuning.heartbeatMillis() + 3;
  }

  void hear(SimEvent event) {
    if (event instanceof SimEvent.GroupChanged changed) {
      actsBy.put(changed.node(), changed.membership());
    } else if (event instanceof SimEvent.RoleTaken taken) {
      leaders.remove(taken.node());
      if (taken.role() == RoleName.LEADER) {
        leaders.put(taken.node(), new Leader());
      }
    } else if (event instanceof SimEvent.Stopped stopped) {
      leaders.remove(stopped.node());
    } else if (event instanceof SimEvent.Delivered delivered) {
      delivered(delivered.envelope());
    } else if (event instanceof SimEvent.Sent sent) {
      sent(sent.envelope().from(), sent.atNanos());
    }
  }

  private void delivered(Envelope envelope) {
    Leader leader = leaders.get(envelope.to());
    if (leader != null) {
      leader.heard.add(envelope.from());
      if (isMajority(envelope.to(), leader.heard)) {
        leader.heard.clear();
        leader.beats = 0;
      }
    }
  }

  private void sent(NodeId from, long now) {
    Leader leader = leaders.get(from);
    if (leader == null || now - leader.lastBeatNanos < beatNanos) {
      return;
    }
    leader.lastBeatNanos = now;
    leader.beats++;
    if (leader.beats > beatsMax && !isMajority(from, Set.of())) {
      world
          .journal()
          .violated(
              "IsolatedLeadersStepDown",
              "%s leads on, and for %d heartbeats has heard no majority, only %s; members: %s"
                  .formatted(from, leader.beats, leader.heard, actsBy.get(from)));
    }
  }

  private boolean isMajority(NodeId self, Set<NodeId> others) {
    Membership members = actsBy.getOrDefault(self, Membership.EMPTY);
    return isMajority(members.voters(), self, others)
        && (!members.isJoint() || isMajority(members.outgoing(), self, others));
  }

  private static boolean isMajority(Set<NodeId> voters, NodeId self, Set<NodeId> others) {
    long present =
        voters.stream().filter(voter -> voter.equals(self) || others.contains(voter)).count();
    return 2 * present > voters.size();
  }
}
