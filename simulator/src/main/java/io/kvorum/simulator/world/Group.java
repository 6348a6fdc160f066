package io.kvorum.simulator.world;

import io.kvorum.node.ProposalListener;
import io.kvorum.node.Refusal;
import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an operator does with the group as a whole, through whoever leads it. */
final class Group {
  private final World world;

  Group(World world) {
    this.world = world;
  }

  /** The process that leads the newest term, if one leads. */
  @Nullable NodeProcess leader() {
    NodeProcess leader = null;
    long term = -1;
    for (Machine machine : world.machines()) {
      NodeProcess process = machine.process();
      if (process != null && process.isOpen() && machine.isWell()) {
        RaftStatus status = process.serving().node().status();
        if (status.role() == RoleName.LEADER && status.term() > term) {
          leader = process;
          term = status.term();
        }
      }
    }
    return leader;
  }

  /** The members by which the leader acts; empty when nobody leads. */
  Membership members() {
    NodeProcess leader = leader();
    return leader == null ? Membership.EMPTY : leader.serving().node().status().membership();
  }

  void transferTo(NodeId to) {
    NodeProcess leader = leader();
    if (leader != null) {
      leader.loop().arrive(() -> leader.serving().node().transferLeadership(to));
    }
  }

  /** Whoever shall take part and does not run is started, unless it was removed before. */
  void change(Fault.ChangeMembers change) {
    NodeProcess leader = leader();
    if (leader == null) {
      return;
    }
    Map<NodeId, String> addresses = new TreeMap<>();
    for (Machine machine : world.machines()) {
      boolean wanted =
          change.voters().contains(machine.id()) || change.learners().contains(machine.id());
      if (wanted && machine.isRemoved()) {
        return;
      }
      if (wanted) {
        addresses.put(machine.id(), World.address(machine));
      }
    }
    MembershipChange target = MembershipChange.to(change.voters(), change.learners(), addresses);
    leader.loop().arrive(() -> leader.serving().node().changeMembership(target, new Ends()));
  }

  /** A change ends once, one way or another. */
  private final class Ends implements ProposalListener<Membership> {
    private boolean ended;

    @Override
    public void applied(Membership membership) {
      end();
    }

    @Override
    public void refused(Refusal why) {
      end();
    }

    @Override
    public void unknown(String why) {
      end();
    }

    private void end() {
      if (ended) {
        world.journal().violated("EachCallEndsOnce", "a change of members has ended twice");
      }
      ended = true;
    }
  }
}
