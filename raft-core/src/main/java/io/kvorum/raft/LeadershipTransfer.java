package io.kvorum.raft;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The leader's side of a transfer (thesis §3.10): no new entries, let the target catch up, then
 * have it call an election. After an election timeout the leader goes on leading.
 */
final class LeadershipTransfer {
  private final RaftState state;
  private final LeaderLease lease;
  private @Nullable NodeId target;
  private boolean waitsForApply;
  private boolean orderSent;
  private int ticks;

  LeadershipTransfer(RaftState state, LeaderLease lease) {
    this.state = state;
    this.lease = lease;
  }

  /** To whom, or null when no transfer is under way. */
  @Nullable NodeId target() {
    return target;
  }

  /** Whether the target has been asked to call its election. */
  boolean isOrdered() {
    return target != null && orderSent;
  }

  /**
   * Begins.
   *
   * @param afterApply whether to wait until all that was proposed here has been applied, and so
   *     answered: then no outcome becomes unknown
   */
  void begin(NodeId to, boolean afterApply) {
    target = to;
    waitsForApply = afterApply;
    orderSent = false;
    ticks = 0;
  }

  /** Gives the order if the target has everything. */
  void proceed(Map<NodeId, Progress> progress) {
    if (target == null || orderSent) {
      return;
    }
    Progress p = progress.get(target);
    boolean mayGo = !waitsForApply || state.appliedIndex() == state.log.lastIndex();
    if (mayGo && p != null && p.matchIndex() == state.log.lastIndex()) {
      order(target);
    }
  }

  /** Now or never: the leader is about to step down. */
  void order(NodeId to) {
    target = to;
    orderSent = true;
    // The election that this starts passes over the promise that a lease stands on.
    lease.revoke();
    state.send(to, new Message.TimeoutNow());
  }

  /** The target that did not make it in the time of an election is given up. */
  void tick() {
    if (target != null && ++ticks >= state.config.electionTicks()) {
      target = null;
    }
  }

  /** A transfer to a node that is gone would only block us. */
  void unreachable(NodeId peer) {
    if (peer.equals(target)) {
      target = null;
    }
  }
}
