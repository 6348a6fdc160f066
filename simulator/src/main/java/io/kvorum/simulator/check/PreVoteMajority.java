package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node campaigns in a term only after a majority has said, of that term, that it would vote for
 * it (thesis §9.6), or because a leader of the term before has handed over to it. Nobody else may
 * disturb a leader.
 */
public final class PreVoteMajority implements Checker {
  /** A term that somebody wants to campaign in. */
  private record Campaign(NodeId node, long term) {}

  private final Map<NodeId, Membership> actsBy = new HashMap<>();
  private final Map<Campaign, Set<NodeId>> grants = new HashMap<>();
  private final Set<Campaign> ordered = new HashSet<>();

  @Override
  public String name() {
    return "PreVoteMajority";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.GroupChanged changed) {
      actsBy.put(changed.node(), changed.membership());
    } else if (event instanceof SimEvent.Delivered delivered) {
      delivered(delivered.envelope());
    } else if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.CANDIDATE) {
      campaigns(new Campaign(taken.node(), taken.term()));
    }
  }

  private void delivered(Envelope envelope) {
    if (envelope.message() instanceof Message.TimeoutNow) {
      ordered.add(new Campaign(envelope.to(), envelope.term() + 1));
    } else if (envelope.message() instanceof Message.RequestVoteResponse response
        && response.preVote()
        && response.granted()) {
      grants
          .computeIfAbsent(new Campaign(envelope.to(), envelope.term()), none -> new TreeSet<>())
          .add(envelope.from());
    }
  }

  private void campaigns(Campaign campaign) {
    Membership members = actsBy.getOrDefault(campaign.node(), Membership.EMPTY);
    Set<NodeId> granted = new TreeSet<>(grants.getOrDefault(campaign, Set.of()));
    granted.add(campaign.node());
    boolean wanted =
        isMajority(members.voters(), granted)
            && (!members.isJoint() || isMajority(members.outgoing(), granted));
    if (!wanted && !ordered.contains(campaign)) {
      throw new Violation(
          name(),
          "%s campaigns in term %d, for which only %s would vote; members: %s"
              .formatted(campaign.node(), campaign.term(), granted, members));
    }
  }

  private static boolean isMajority(Set<NodeId> voters, Set<NodeId> some) {
    return 2 * voters.stream().filter(some::contains).count() > voters.size();
  }
}
