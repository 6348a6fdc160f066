package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What happens to memberships and snapshots in a random life: members are added, promoted, demoted,
 * removed and replaced, several at a time or one by one; logs are compacted right behind what a
 * node has applied; snapshots fail, come late, or are carried out without the core being told.
 */
final class MembershipSchedule {
  private final SplittableRandom random;
  private final List<TestNode> nodes;
  private final ScheduleChecks checks;

  MembershipSchedule(long seed, List<TestNode> nodes, ScheduleChecks checks) {
    this.random = new SplittableRandom(~seed);
    this.nodes = nodes;
    this.checks = checks;
  }

  void step() {
    TestNode node = nodes.get(random.nextInt(nodes.size()));
    if (node.isDown) {
      return;
    }
    int dice = random.nextInt(100);
    if (dice < 10) {
      change();
    } else if (dice < 13) {
      node.failsSnapshots = random.nextBoolean();
    } else if (dice < 14 && node.install != null) {
      abandonOrHide(node);
    }
  }

  /** The content turns out damaged, or the machine dies between the disk and the report. */
  private void abandonOrHide(TestNode node) {
    SnapshotMeta install = node.install;
    if (random.nextBoolean()) {
      node.install = null;
      node.core().installFailed(install);
    } else if (!node.disk.hasPending()) {
      checks.answered(node);
      checks.crashed(node);
      node.becomeSnapshot();
      node.start();
    }
  }

  /** A leader is asked for a few random steps at once. */
  private void change() {
    for (TestNode node : nodes) {
      if (!node.isDown && node.core().role() == RoleName.LEADER) {
        Membership now = node.core().status().membership();
        TreeSet<NodeId> voters = new TreeSet<>(now.voters());
        TreeSet<NodeId> learners = new TreeSet<>(now.learners());
        for (int i = random.nextInt(3); i >= 0; i--) {
          move(nodes.get(random.nextInt(nodes.size())).id(), voters, learners);
        }
        TreeMap<NodeId, String> addresses = new TreeMap<>();
        voters.forEach(voter -> addresses.put(voter, "at-" + voter));
        Proposal answer = node.core().propose(MembershipChange.to(voters, learners, addresses));
        if (answer instanceof Proposal.MembershipRefused) {
          assert node.core().status().membership().equals(now) : "a refusal changes nothing";
        }
      }
    }
  }

  private void move(NodeId node, NavigableSet<NodeId> voters, NavigableSet<NodeId> learners) {
    if (voters.contains(node)) {
      voters.remove(node);
      if (random.nextInt(3) == 0) {
        learners.add(node);
      }
    } else if (learners.remove(node)) {
      if (random.nextInt(4) != 0) {
        voters.add(node);
      }
    } else {
      learners.add(node);
    }
  }

  /** Anything that this node has applied, and knows members for. */
  void compact(TestNode node) {
    long applied = Math.min(node.core().status().appliedIndex(), node.disk.lastIndex());
    long kept = random.nextInt(4);
    long index = applied - kept;
    if (node.install == null
        && index > node.disk.compacted().index()
        && node.knowsMembersAt((int) index)) {
      node.compact(index);
    }
  }
}
