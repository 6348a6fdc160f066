package io.kvorum.node;

import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.Ready;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows who is in the group: tells the transport whom to reach, and sees changes that were asked
 * for here through to their end. Used on the node's loop.
 */
final class GroupChanges {
  /** A learner that makes no progress for so many election timeouts is not waited for. */
  private static final int PATIENCE = 20;

  private final RaftCore core;
  private final Transport transport;
  private final FeatureGate gate;
  private final int patienceTicks;
  private @Nullable StagedChange staged;

  GroupChanges(RaftCore core, Transport transport, FeatureGate gate, int electionTicks) {
    this.core = core;
    this.transport = transport;
    this.gate = gate;
    patienceTicks = PATIENCE * electionTicks;
  }

  /** Before the transport starts. */
  void start() {
    transport.members(core.status().membership());
  }

  /** Begins a change, unless one is under way here that does not give way to it. */
  void begin(MembershipChange change, ProposalListener<Membership> listener) {
    if (staged != null && !staged.givesWayTo(change)) {
      listener.refused(
          new Refusal.Rejected(
              "another change is under way: " + staged.progress() + "; nothing was changed"));
      return;
    }
    StagedChange next = new StagedChange(change, listener, gate, patienceTicks);
    staged = next.begin(core) ? null : next;
  }

  void handOver(Ready ready) {
    Membership membership = ready.membership();
    if (membership != null) {
      transport.members(membership);
    }
    if (staged != null && staged.committed(ready.committed())) {
      staged = null;
    }
  }

  /**
   * Time passes.
   *
   * @param fetches as in {@link CatchingUp#isWorthWaiting}
   */
  void tick(Function<NodeId, CatchingUp.@Nullable Fetched> fetches) {
    if (staged != null && staged.tick(core, fetches)) {
      staged = null;
    }
  }

  /** Nobody here will learn how the change ends. */
  void abandon(String why) {
    if (staged != null) {
      staged.abandon(why);
      staged = null;
    }
  }
}
