package io.kvorum.raft;

import java.util.Set;
import java.util.TreeSet;

/**
 * The leader's side of "idle groups go quiet". After {@link RaftConfig#quiesceTicks} without
 * anything to do, and with every member alike, it proposes silence; when all have agreed and
 * nothing else was said meanwhile, heartbeats and elections rest until something happens.
 *
 * <p>An attempt lasts a heartbeat interval. If somebody does not agree by then, the next heartbeat
 * wakes those who have. So a group with a member that is down never goes quiet: its leader needs
 * the heartbeats to see whether it still has a majority.
 */
final class Quiescence {
  private final int quiesceTicks;
  private final Set<NodeId> agreed = new TreeSet<>();
  private int idleTicks;
  private boolean proposed;
  private boolean quiet;

  Quiescence(int quiesceTicks) {
    this.quiesceTicks = quiesceTicks;
  }

  boolean isQuiet() {
    return quiet;
  }

  /**
   * A tick has passed.
   *
   * @param idle whether there was nothing to do
   * @return whether silence is to be proposed now
   */
  boolean tick(boolean idle) {
    if (quiesceTicks == 0) {
      return false;
    }
    if (!idle) {
      disturb();
      return false;
    }
    if (++idleTicks < quiesceTicks || proposed) {
      return false;
    }
    proposed = true;
    agreed.clear();
    return true;
  }

  /** This member is quiet. */
  void agree(NodeId member, Set<NodeId> members) {
    if (proposed) {
      agreed.add(member);
      settle(members);
    }
  }

  /** This member is awake, though it may have agreed. */
  void disagree(NodeId member) {
    agreed.remove(member);
  }

  /** Quiet once all members have agreed; a group of one agrees with itself. */
  void settle(Set<NodeId> members) {
    quiet = proposed && agreed.containsAll(members);
  }

  /** Something else was said, so who had agreed is awake again. */
  void spoke() {
    if (proposed) {
      disturb();
    }
  }

  /** Something happened. */
  void disturb() {
    idleTicks = 0;
    proposed = false;
    quiet = false;
    agreed.clear();
  }
}
