package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FAULTS F165: a group whose members are not of one version. */
final class MixedVersionsTest {
  private static final Features OLD = Features.of(Feature.SNAPSHOTS);

  private static TestNodes nodes(long seed) {
    TestNodes nodes = new TestNodes(seed, 3);
    nodes.snapshotConfig = SnapshotConfig.NEVER.withLogBounds(0, 64 << 10);
    nodes.ballastBytes = 20_000;
    nodes.checkEntries = 8;
    return nodes;
  }

  private static void writeSlowly(TestNodes nodes) {
    for (int i = 0; i < 16; i++) {
      nodes.write(1);
      nodes.pass(1);
    }
  }

  private static boolean areChecked(TestNodes nodes) {
    return nodes.all.values().stream()
        .filter(TestNode::isAlive)
        .anyMatch(node -> !node.process().machine.checks().remembered().isEmpty());
  }

  private static TestNode other(TestNodes nodes, TestNode than) {
    return nodes.all.values().stream().filter(node -> node != than).findFirst().orElseThrow();
  }

  /** Also when it leads itself. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nothingIsComparedUntilTheLastMemberIsUpdated(int older) {
    TestNodes nodes = nodes(older);
    nodes.node(older).features = OLD;
    nodes.startAll();
    writeSlowly(nodes);
    assertThat(areChecked(nodes)).isFalse();
    nodes.node(older).crash();
    nodes.node(older).features = Features.ALL;
    nodes.node(older).start();
    writeSlowly(nodes);
    assertThat(areChecked(nodes)).isTrue();
    nodes.untilEqual();
  }

  /** One that is down may be of any version. What is in the log already waits for nobody. */
  @Test
  void whoIsDownIsWaitedForOnlyBeforeTheFirstUse() {
    TestNodes nodes = nodes(4);
    nodes.startAll();
    TestNode down = other(nodes, nodes.leader());
    down.crash();
    writeSlowly(nodes);
    assertThat(areChecked(nodes)).isFalse();
    down.start();
    writeSlowly(nodes);
    nodes.untilEqual();
    long judged = nodes.leader().process().machine.checks().judgedIndex();
    assertThat(judged).isPositive();
    down.crash();
    writeSlowly(nodes);
    assertThat(nodes.leader().process().machine.checks().judgedIndex()).isGreaterThan(judged);
  }

  @Test
  void aCommandOfAClientIsRefusedWithTheNameOfWhoLacksIt() {
    TestNodes nodes = nodes(5);
    nodes.checkEntries = 0;
    nodes.node(2).features = OLD;
    nodes.startAll();
    nodes.write(1);
    List<Object> ends = new ArrayList<>();
    propose(nodes, ends);
    assertThat(ends)
        .containsExactly(new Refusal.Lacking(Feature.STATE_CHECKS, TestNodes.id(2), true));
    long last = nodes.leader().node().last().index();
    nodes.node(2).crash();
    nodes.node(2).features = Features.ALL;
    nodes.node(2).start();
    nodes.write(1);
    propose(nodes, ends);
    assertThat(ends).hasSize(2).last().isInstanceOf(Long.class);
    assertThat(nodes.leader().node().last().index()).isGreaterThan(last + 1);
  }

  private static void propose(TestNodes nodes, List<Object> ends) {
    int before = ends.size();
    TestNode leader = nodes.leader();
    leader
        .process()
        .loop
        .execute(
            () ->
                leader
                    .node()
                    .propose(Feature.STATE_CHECKS, new byte[] {'x'}, new Ends<Long>(ends)));
    nodes.until("an end", () -> ends.size() > before);
  }

  @Test
  void whoDoesNotLeadSaysOnlyThat() {
    TestNodes nodes = nodes(6);
    nodes.node(1).features = OLD;
    nodes.startAll();
    nodes.write(1);
    TestNode follower = other(nodes, nodes.leader());
    List<Object> ends = new ArrayList<>();
    follower
        .process()
        .loop
        .execute(
            () ->
                follower
                    .node()
                    .propose(Feature.STATE_CHECKS, new byte[] {'x'}, new Ends<Long>(ends)));
    nodes.until("an end", () -> !ends.isEmpty());
    assertThat(ends).first().isInstanceOf(Refusal.NotLeader.class);
  }

  @Test
  void aNewMemberThatLacksWhatIsUsedIsRefused() {
    TestNodes nodes = nodes(7);
    nodes.startAll();
    writeSlowly(nodes);
    assertThat(areChecked(nodes)).isTrue();
    TestNode joining = nodes.join(4);
    joining.features = OLD;
    List<Object> ends = new ArrayList<>();
    add(nodes, ends, 1);
    assertThat(ends).first().isInstanceOf(Refusal.Rejected.class);
    assertThat(((Refusal.Rejected) ends.get(0)).why())
        .contains("the version of n4 lacks what the group uses: state-checks")
        .contains("nothing was changed");
    assertThat(nodes.leader().node().membership().isMember(TestNodes.id(4))).isFalse();
    joining.features = Features.ALL;
    add(nodes, ends, 2);
    assertThat(ends).last().isInstanceOf(Membership.class);
  }

  /** It was down when it was asked for, so nobody could know. */
  @Test
  void aNewMemberThatLacksWhatIsUsedDoesNotBecomeAVoter() {
    TestNodes nodes = nodes(8);
    nodes.startAll();
    writeSlowly(nodes);
    TestNode joining = nodes.join(4);
    joining.crash();
    joining.features = OLD;
    List<Object> ends = new ArrayList<>();
    TestNode leader = nodes.leader();
    ask(leader, ends);
    nodes.until("n4 learns", () -> leader.node().membership().isMember(TestNodes.id(4)));
    assertThat(ends).isEmpty();
    joining.start();
    nodes.until("an end", () -> !ends.isEmpty());
    assertThat(((Refusal.Rejected) ends.get(0)).why())
        .contains("n4")
        .contains("state-checks")
        .contains("they stay learners");
    assertThat(leader.node().membership().isVoter(TestNodes.id(4))).isFalse();
  }

  private static void add(TestNodes nodes, List<Object> ends, int count) {
    ask(nodes.leader(), ends);
    nodes.until("an end", () -> ends.size() == count);
  }

  private static void ask(TestNode leader, List<Object> ends) {
    Set<NodeId> voters = new TreeSet<>();
    for (int i = 1; i <= 4; i++) {
      voters.add(TestNodes.id(i));
    }
    leader
        .process()
        .loop
        .execute(
            () ->
                leader
                    .node()
                    .changeMembership(
                        MembershipChange.to(voters, Set.of(), Map.of()),
                        new Ends<Membership>(ends)));
  }

  private record Ends<R>(List<Object> ends) implements ProposalListener<R> {
    @Override
    public void applied(R result) {
      ends.add(result);
    }

    @Override
    public void refused(Refusal why) {
      ends.add(why);
    }

    @Override
    public void unknown(String why) {
      ends.add(why);
    }
  }
}
