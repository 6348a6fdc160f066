package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The paper's §6: memberships change by joint consensus. */
class MembershipChangeTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private static Membership membership(TestCluster cluster, String node) {
    return cluster.core(node).status().membership();
  }

  private static void accepted(Proposal proposal) {
    assertThat(proposal).isInstanceOf(Proposal.Accepted.class);
  }

  private static void refused(Proposal proposal, String why) {
    assertThat(proposal).isInstanceOf(Proposal.MembershipRefused.class);
    assertThat(((Proposal.MembershipRefused) proposal).why())
        .contains(why)
        .endsWith("nothing was changed");
  }

  private static Set<String> streams(TestCluster cluster, String leader) {
    Set<String> names = new TreeSet<>();
    cluster.core(leader).status().progress().keySet().forEach(peer -> names.add(peer.name()));
    return names;
  }

  private static long count(TestNode node, boolean joint) {
    return node.applied.stream()
        .filter(entry -> entry.type() == EntryType.MEMBERSHIP)
        .filter(entry -> Membership.decode(entry.payload()).isJoint() == joint)
        .count();
  }

  /** n1 leads; n2 and n3 vote; n4 learns and has caught up. */
  private static TestCluster withLearner() {
    TestCluster cluster = TestCluster.of(3).elect("n1").join("n4");
    accepted(cluster.change("n1", "n1 n2 n3", "n4"));
    cluster.tickAll(4);
    return cluster;
  }

  /** FAULTS F077: what is below the no-op may be a change that another leader outvotes. */
  @Test
  void nothingChangesBeforeTheNoOpIsCommitted() {
    TestCluster cluster = TestCluster.of(3);
    cluster.campaign("n1");
    cluster.deliver("n1", "n2");
    cluster.deliver("n2", "n1");
    cluster.deliver("n1", "n2");
    cluster.deliver("n2", "n1");
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    refused(cluster.change("n1", "n1 n2", ""), "first entry of term 1 is not committed");
    cluster.deliver();
    accepted(cluster.change("n1", "n1 n2", ""));
  }

  @Test
  void onlyALeaderChangesAndOnlyToSomethingThatCanBe() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    assertThat(cluster.change("n2", "n1 n2", "")).isEqualTo(new Proposal.NotLeader(N1));
    refused(cluster.change("n1", "", "n1"), "at least one voter");
    refused(cluster.change("n1", "n1 n2", "n2"), "both voter and learner");
    refused(cluster.change("n1", "n1 n2 n3", ""), "the membership already");
    cluster.isolate("n2");
    cluster.propose("n1", "x");
    cluster.transfer("n1", "n2");
    refused(cluster.change("n1", "n1 n2", ""), "being handed to n2");
    assertThat(cluster.core("n1").status().last().index()).isEqualTo(2);
  }

  /** FAULTS F080: whoever leads leaves a joint membership once, whatever the queue holds. */
  @Test
  void everyLeaderLeavesTheJointMembershipOnce() {
    for (int steps = 0; steps < 14; steps++) {
      TestCluster cluster = withLearner();
      while (cluster.core("n1").propose(new byte[100_000]) instanceof Proposal.Accepted) {
        assertThat(cluster.core("n1").status().last().index()).isLessThan(100);
      }
      accepted(cluster.change("n1", "n1 n2 n4", ""));
      List<String> links = List.of("n2", "n3", "n4");
      for (int i = 0; i < steps; i++) {
        String peer = links.get(i % 3);
        cluster.deliver("n1", peer);
        cluster.deliver(peer, "n1");
      }
      cluster.isolate("n1");
      cluster.dropAll();
      cluster.tickAll(60);
      cluster.heal();
      cluster.tickAll(60);
      TestNode leader = null;
      for (TestNode node : cluster.all()) {
        leader = node.core().role() == RoleName.LEADER ? node : leader;
      }
      assertThat(leader).as("after %d steps", steps).isNotNull();
      assertThat(leader.core().status().membership().isJoint()).isFalse();
      assertThat(count(leader, false)).isEqualTo(1 + count(leader, true));
      assertThat(leader.core().status().uncommittedBytes()).isZero();
    }
  }

  /** FAULTS F081: two members, the leader goes; the other can write, without a hand. */
  @Test
  void removedLeaderOfTwoLeavesAWritableGroup() {
    for (int lost = 0; lost < 8; lost++) {
      TestCluster cluster = TestCluster.of(2).elect("n1");
      accepted(cluster.change("n1", "n2", ""));
      for (int i = 0; i < lost; i++) {
        cluster.deliver(i % 2 == 0 ? "n1" : "n2", i % 2 == 0 ? "n2" : "n1");
      }
      cluster.dropAll();
      cluster.tickAll(40);
      assertThat(cluster.core("n2").role()).as("lost after %d", lost).isEqualTo(RoleName.LEADER);
      assertThat(membership(cluster, "n2")).isEqualTo(Membership.of(List.of(N2)));
      accepted(cluster.propose("n2", "x"));
      assertThat(cluster.core("n2").commitIndex())
          .isEqualTo(cluster.core("n2").status().last().index());
      assertThat(cluster.core("n1").status().removed()).isTrue();
      cluster.tick("n1", 50);
      assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEARNER);
    }
  }

  @Test
  void removedLeaderThatIsCutOffStopsInTheEnd() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    accepted(cluster.change("n1", "n2 n3", ""));
    cluster.deliver("n1", "n2");
    cluster.deliver("n1", "n3");
    cluster.isolate("n1");
    cluster.tickAll(60);
    assertThat(cluster.core("n1").role()).isNotEqualTo(RoleName.LEADER);
    cluster.heal();
    cluster.tickAll(60);
    assertThat(membership(cluster, "n2")).isEqualTo(Membership.of(List.of(N2, N3)));
    assertThat(cluster.core("n1").status().removed()).isTrue();
  }

  /** FAULTS F083, first variant: gone while it was away. */
  @Test
  void removedServerThatMissedItDisturbsNobodyAndIsTold() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.tick("n3", 50);
    accepted(cluster.change("n1", "n1 n2", ""));
    cluster.tickAll(30);
    assertThat(streams(cluster, "n1")).containsExactly("n2");
    cluster.heal();
    for (int i = 0; i < 1000; i++) {
      cluster.propose("n1", "x");
      cluster.tickAll(1);
    }
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(cluster.core("n3").status().removed()).isTrue();
    cluster.sent.clear();
    cluster.tick("n3", 100);
    assertThat(cluster.sent).isEmpty();
    accepted(cluster.change("n1", "n1 n2", "n3"));
    cluster.tickAll(20);
    assertThat(cluster.core("n3").status().removed()).as("it is back").isFalse();
    assertThat(cluster.core("n3").status().last()).isEqualTo(cluster.core("n1").status().last());
  }

  /** FAULTS F083, first variant with a higher term: what is committed counts in any term. */
  @Test
  void removedServerWithAHigherTermIsToldToo() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    accepted(cluster.change("n1", "n1 n2", ""));
    cluster.tickAll(30);
    cluster.step(new Envelope(N1, N3, 1, new Message.TimeoutNow()));
    cluster.tick("n3", 1);
    assertThat(cluster.core("n3").term()).isEqualTo(2);
    cluster.heal();
    cluster.tick("n3", 40);
    cluster.tickAll(10);
    assertThat(cluster.core("n3").status().removed()).isTrue();
    assertThat(cluster.core("n1").term()).isEqualTo(1);
  }

  /** FAULTS F083, second variant: demoted while it was away. */
  @Test
  void demotedServerThatMissedItDisturbsNobody() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.tick("n3", 50);
    accepted(cluster.change("n1", "n1 n2", "n3"));
    cluster.tickAll(30);
    cluster.heal();
    cluster.tickAll(100);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(cluster.core("n3").role()).isEqualTo(RoleName.LEARNER);
    assertThat(cluster.core("n3").status().removed()).isFalse();
  }

  /**
   * FAULTS F083, third variant: only the leader that was removed has the entry that leaves the
   * joint membership; the vote of one who is down is missing, so nobody else can win.
   */
  @Test
  void serverOutsideItsOwnMembershipIsElectedWhenOnlyItCanBe() {
    TestCluster cluster = TestCluster.of(2).elect("n1").join("n3");
    accepted(cluster.change("n1", "n1 n2", "n3"));
    cluster.tickAll(4);
    accepted(cluster.change("n1", "n2 n3", ""));
    cluster.deliver("n1", "n2");
    cluster.deliver("n1", "n3");
    cluster.deliver("n2", "n1");
    cluster.deliver("n3", "n1");
    assertThat(membership(cluster, "n1")).isEqualTo(Membership.of(List.of(N2, N3)));
    cluster.crash("n1");
    cluster.restart("n1");
    cluster.tickAll(60);
    assertThat(cluster.core("n2").term()).isGreaterThan(1);
    assertThat(membership(cluster, "n2")).isEqualTo(Membership.of(List.of(N2, N3)));
    assertThat(membership(cluster, "n3")).isEqualTo(Membership.of(List.of(N2, N3)));
    assertThat(cluster.sent)
        .anyMatch(
            envelope ->
                envelope.from().equals(N1)
                    && envelope.term() > 1
                    && envelope.message() instanceof Message.AppendEntries);
  }

  @Test
  void oldNoticeOfRemovalIsNotBelieved() {
    TestCluster cluster = withLearner();
    EntryId known = cluster.node("n3").applied.get(1).id();
    cluster.step(new Envelope(N1, N3, 1, new Message.Removed(known)));
    assertThat(cluster.core("n3").status().removed()).isFalse();
    cluster.step(new Envelope(N1, N3, 1, new Message.Removed(new EntryId(3, 1))));
    assertThat(cluster.core("n3").status().removed()).isTrue();
    assertThat(cluster.core("n3").role()).isEqualTo(RoleName.LEARNER);
  }

  /** FAULTS F084: it does not know yet that it votes, and is needed. */
  @Test
  void promotedLearnerVotesBeforeItKnows() {
    TestCluster cluster = TestCluster.of(2).elect("n1").join("n3");
    accepted(cluster.change("n1", "n1 n2", "n3"));
    cluster.tickAll(4);
    cluster.cut("n1", "n3");
    accepted(cluster.change("n1", "n1 n2 n3", ""));
    cluster.deliver();
    cluster.crash("n1");
    assertThat(membership(cluster, "n3").isVoter(N3)).isFalse();
    cluster.tickAll(60);
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEADER);
    cluster.tickAll(4);
    assertThat(membership(cluster, "n3").isVoter(N3)).isTrue();
  }

  /** FAULTS F086: caught up means a round within an election timeout, under any load. */
  @Test
  void newVoterHasToKeepUpFirst() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    refused(cluster.change("n1", "n1 n2 n4", ""), "n4 is no member");
    accepted(cluster.change("n1", "n1 n2 n3", "n4"));
    cluster.tickAll(30);
    refused(cluster.change("n1", "n1 n2 n4", ""), "not caught up, it is 2 entries behind");
    cluster.join("n4");
    for (int i = 0; i < 30; i++) {
      cluster.propose("n1", "x");
      cluster.core("n1").tick();
      cluster.tickAll(1);
      cluster.propose("n1", "y");
    }
    cluster.propose("n1", "never quiet");
    accepted(cluster.change("n1", "n1 n2 n4", ""));
  }

  @Test
  void learnerThatDiedIsNotPromoted() {
    TestCluster cluster = withLearner();
    cluster.crash("n4");
    cluster.tickAll(20);
    refused(cluster.change("n1", "n1 n2 n3 n4", ""), "not heard of late");
  }

  /**
   * FAULTS F087: one stream for each other member, whenever the membership or the leader changed.
   */
  @Test
  void streamsFollowTheMembership() {
    TestCluster cluster = withLearner();
    assertThat(streams(cluster, "n1")).containsExactly("n2", "n3", "n4");
    cluster.crash("n4");
    cluster.elect("n2");
    assertThat(streams(cluster, "n2")).containsExactly("n1", "n3", "n4");
    cluster.restart("n4");
    cluster.propose("n2", "x");
    cluster.tickAll(10);
    assertThat(cluster.core("n4").status().last()).isEqualTo(cluster.core("n2").status().last());
    cluster.join("n5");
    accepted(cluster.change("n2", "n2 n3 n4", "n5"));
    assertThat(streams(cluster, "n2")).as("also outgoing").containsExactly("n1", "n3", "n4", "n5");
    cluster.tickAll(20);
    assertThat(streams(cluster, "n2")).containsExactly("n3", "n4", "n5");
    assertThat(cluster.core("n5").status().last()).isEqualTo(cluster.core("n2").status().last());
    assertThat(cluster.core("n1").status().removed()).isTrue();
  }

  /** FAULTS F089, as a table: sizes 2 to 5, each healthy majority, each removal. */
  @Test
  void removalIsAllowedExactlyWhenTheRestCanDecide() {
    for (int size = 2; size <= 5; size++) {
      for (int dead = 0; dead < 1 << size; dead += 2) {
        if (2 * Integer.bitCount(dead) >= size) {
          continue;
        }
        for (int gone = 1; gone <= size; gone++) {
          removal(size, dead, gone);
        }
      }
    }
  }

  private static void removal(int size, int dead, int gone) {
    TestCluster cluster = TestCluster.of(size).elect("n1");
    List<String> rest = new ArrayList<>();
    int alive = 0;
    for (int i = 1; i <= size; i++) {
      boolean isDead = (dead & (1 << (i - 1))) != 0;
      if (isDead) {
        cluster.crash("n" + i);
      }
      if (i != gone) {
        rest.add("n" + i);
        alive += isDead ? 0 : 1;
      }
    }
    cluster.tickAll(12);
    Proposal proposal = cluster.change("n1", String.join(" ", rest), "");
    if (2 * alive > rest.size()) {
      accepted(proposal);
      cluster.tickAll(40);
      for (TestNode node : cluster.all()) {
        if (!node.isDown && rest.contains(node.id().name())) {
          assertThat(node.core().status().membership())
              .as("%d nodes, dead %d, without n%d", size, dead, gone)
              .isEqualTo(Membership.of(TestCluster.ids(rest.toArray(new String[0]))));
        }
      }
    } else {
      refused(proposal, "must agree");
    }
  }

  /** FAULTS F089: what a repair looks like. */
  @Test
  void deadMemberOfThreeIsReplaced() {
    TestCluster cluster = TestCluster.of(3).elect("n1").join("n4");
    cluster.crash("n3");
    accepted(cluster.change("n1", "n1 n2 n3", "n4"));
    cluster.tickAll(12);
    accepted(cluster.change("n1", "n1 n2 n4", ""));
    cluster.tickAll(20);
    assertThat(membership(cluster, "n4"))
        .isEqualTo(Membership.of(TestCluster.ids("n1", "n2", "n4")));
    cluster.crash("n2");
    accepted(cluster.propose("n1", "x"));
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex())
        .isEqualTo(cluster.core("n1").status().last().index());
  }

  /** FAULTS F090: what is pending is counted anew, without another acknowledgement. */
  @Test
  void pendingEntriesCommitWhenTheQuorumShrinks() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    accepted(cluster.change("n1", "n1", ""));
    cluster.cut("n2", "n1");
    cluster.propose("n1", "x");
    cluster.propose("n1", "y");
    cluster.deliver("n1", "n3");
    cluster.deliver("n3", "n1");
    RaftStatus status = cluster.core("n1").status();
    assertThat(status.commitIndex()).isEqualTo(status.last().index()).isEqualTo(5);
    assertThat(cluster.node("n1").applied).hasSize(5);
  }

  /** FAULTS F090: a leader that is no voter any more does not count itself. */
  @Test
  void leaderThatWasRemovedDoesNotCountItself() {
    TestCluster cluster = TestCluster.of(4).elect("n1");
    accepted(cluster.change("n1", "n2 n3", ""));
    cluster.cut("n3", "n1");
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).as("one of n2 and n3 is not enough").isEqualTo(1);
    cluster.heal();
    cluster.tickAll(4);
    assertThat(cluster.core("n2").commitIndex()).isGreaterThanOrEqualTo(3);
  }

  /** FAULTS F022: a single voter, in one half or alone, waits for its own disk. */
  @Test
  void soleVoterWaitsForItsDisk() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.hold("n1");
    accepted(cluster.change("n1", "n1", ""));
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).as("joint: n1's half is n1").isEqualTo(1);
    cluster.syncOne("n1");
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(2);
    cluster.propose("n1", "x");
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).as("alone").isEqualTo(2);
    assertThat(cluster.node("n1").applied).hasSize(2);
    cluster.release("n1");
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(4);
  }

  /** FAULTS F096: while joint, both majorities confirm a round. */
  @Test
  void readWaitsForBothMajorities() {
    TestCluster cluster = withLearner();
    cluster.cut("n4", "n1");
    accepted(cluster.change("n1", "n1 n4", "n2 n3"));
    cluster.read("n1", 7);
    cluster.deliver();
    assertThat(cluster.node("n1").reads).as("n1, n2 and n3 are not enough").isEmpty();
    cluster.heal();
    cluster.tickAll(4);
    assertThat(cluster.node("n1").reads).hasSize(1);
  }

  @Test
  void leaderOfAJointGroupNeedsBothMajorities() {
    TestCluster cluster = withLearner();
    cluster.isolate("n4");
    accepted(cluster.change("n1", "n1 n4", "n2 n3"));
    cluster.tickAll(15);
    assertThat(cluster.core("n1").role()).as("n4 is not heard").isEqualTo(RoleName.FOLLOWER);
  }

  /** The configuration is a function of the log: what is truncated never was. */
  @Test
  void truncatedMembershipIsForgotten() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    accepted(cluster.change("n1", "n1 n2", ""));
    assertThat(membership(cluster, "n1").isJoint()).isTrue();
    cluster.tickAll(12);
    cluster.elect("n2");
    cluster.heal();
    cluster.tickAll(10);
    assertThat(membership(cluster, "n1")).isEqualTo(cluster.membership());
    cluster.crash("n1");
    cluster.restart("n1");
    assertThat(membership(cluster, "n1")).isEqualTo(cluster.membership());
  }

  @Test
  void uncommittedMembershipIsFoundAtTheStart() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    accepted(cluster.change("n1", "n1 n2", ""));
    Membership joint = membership(cluster, "n1");
    cluster.crash("n1");
    cluster.restart("n1");
    assertThat(membership(cluster, "n1")).isEqualTo(joint);
  }

  @Test
  void nodeWithoutAGroupNeitherCampaignsNorDecides() {
    TestCluster cluster = TestCluster.of(1).join("n2");
    cluster.tick("n2", 100);
    cluster.step(new Envelope(N1, N2, 1, new Message.TimeoutNow()));
    assertThat(cluster.core("n2").role()).isEqualTo(RoleName.LEARNER);
    assertThat(cluster.sent).isEmpty();
    assertThat(cluster.core("n2").status().removed()).isFalse();
  }

  @Test
  void groupGrowsFromOneToThreeAndShrinksAgain() {
    TestCluster cluster = TestCluster.of(1).elect("n1").join("n2").join("n3");
    accepted(cluster.change("n1", "n1", "n2 n3"));
    cluster.tickAll(5);
    accepted(cluster.change("n1", "n1 n2 n3", ""));
    cluster.tickAll(5);
    assertThat(membership(cluster, "n3"))
        .isEqualTo(Membership.of(TestCluster.ids("n1", "n2", "n3")));
    accepted(cluster.change("n1", "n3", ""));
    cluster.tickAll(20);
    assertThat(cluster.core("n3").role()).isEqualTo(RoleName.LEADER);
    accepted(cluster.propose("n3", "x"));
    assertThat(cluster.node("n3").lastApplied().type()).isEqualTo(EntryType.COMMAND);
  }
}
