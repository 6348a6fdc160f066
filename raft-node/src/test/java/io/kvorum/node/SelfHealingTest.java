package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.node.StateStatus.Phase;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FAULTS F148: a member whose state is not that of the others is found, isolated and rebuilt. */
final class SelfHealingTest {
  private static TestNodes begun(long seed, int count) {
    TestNodes nodes = new TestNodes(seed, count);
    nodes.snapshotConfig = SnapshotConfig.NEVER.withLogBounds(0, 64 << 10);
    nodes.ballastBytes = 20_000;
    nodes.checkEntries = 8;
    nodes.startAll();
    nodes.write(12);
    nodes.untilEqual();
    return nodes;
  }

  private static TestNode follower(TestNodes nodes) {
    TestNode leader = nodes.leader();
    return nodes.all.values().stream().filter(node -> node != leader).findFirst().orElseThrow();
  }

  private static StateStatus status(TestNode node) {
    return node.node().stateStatus();
  }

  private static long verdictIndex(TestNode node) {
    StateFinding last = status(node).last();
    return last == null ? 0 : last.foundIndex();
  }

  private static boolean isQuarantined(TestNode node) {
    return node.isAlive() && status(node).isQuarantined();
  }

  private static void writeUntilQuarantined(TestNodes nodes, TestNode node) {
    for (int i = 0; i < 60 && !isQuarantined(node); i++) {
      nodes.write(1);
      nodes.pass(1);
    }
    assertThat(status(node).isQuarantined() || status(node).divergences() > 0).isTrue();
  }

  private static void untilHealed(TestNodes nodes, TestNode node) {
    nodes.until(
        node.id + " takes part again",
        () -> node.isAlive() && !isQuarantined(node) && status(node).divergences() > 0);
    nodes.write(3);
    nodes.untilEqual();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aFollowerThatDivergesIsQuarantinedAndRebuilt(long seed) {
    TestNodes nodes = begun(seed, 3);
    TestNode wrong = follower(nodes);
    wrong.process().machine.corrupt();
    writeUntilQuarantined(nodes, wrong);
    untilHealed(nodes, wrong);
    assertThat(status(wrong).divergences()).isEqualTo(1);
    assertThat(status(wrong).last()).isNotNull();
    nodes.all.values().stream()
        .filter(node -> node != wrong)
        .forEach(node -> assertThat(status(node).divergences()).isZero());
    assertThat(nodes.sent(wrong, SnapshotFrame.Wanted.class)).isNotEmpty();
    nodes.write(20);
    nodes.untilEqual();
    assertThat(status(wrong).divergences()).isEqualTo(1);
  }

  /** The healthy majority is not sent away by a leader that is wrong itself. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aLeaderThatDivergesStepsDownAndIsRebuilt(long seed) {
    TestNodes nodes = begun(seed, 3);
    TestNode wrong = nodes.leader();
    wrong.process().machine.corrupt();
    writeUntilQuarantined(nodes, wrong);
    nodes.until("another leads", () -> nodes.findLeader() != null && nodes.findLeader() != wrong);
    untilHealed(nodes, wrong);
    nodes.all.values().stream()
        .filter(node -> node != wrong)
        .forEach(node -> assertThat(status(node).divergences()).isZero());
  }

  @Test
  void noVotesNoReadsAndNoSnapshotsComeOutOfAQuarantine() {
    TestNodes nodes = begun(4, 3);
    TestNode wrong = follower(nodes);
    List<Envelope> votes = new ArrayList<>();
    nodes.weather =
        (from, to, frame) -> {
          boolean isVote =
              frame instanceof Envelope sent
                  && (sent.message() instanceof Message.RequestVote
                      || (sent.message() instanceof Message.RequestVoteResponse answer
                          && answer.granted()));
          if (from.equals(wrong.id) && isVote) {
            votes.add((Envelope) frame);
          }
          return frame instanceof SnapshotFrame.Wanted ? 0 : 1;
        };
    wrong.process().machine.corrupt();
    writeUntilQuarantined(nodes, wrong);
    votes.clear();
    TestMachine.State halted = wrong.state();
    assertThat(halted.applied().index()).isEqualTo(verdictIndex(wrong));

    List<String> reads = new ArrayList<>();
    TestNode.Life life = wrong.process();
    life.loop.execute(
        () ->
            life.node.read(
                io.kvorum.raft.ReadMode.stale(Long.MAX_VALUE / 4),
                new ReadListener() {
                  @Override
                  public Runnable read() {
                    return () -> reads.add("read");
                  }

                  @Override
                  public void refused(Refusal why) {
                    reads.add("refused");
                  }
                }));
    nodes.until("the read has ended", () -> !reads.isEmpty());
    assertThat(reads).containsExactly("refused");
    assertThat(life.node.takeSnapshot()).isCompletedExceptionally();
    assertThat(life.node.hearsLeader()).isFalse();

    // Only with its vote could a leader be found, and it gives none.
    TestNode leader = nodes.leader();
    leader.crash();
    nodes.pass(30);
    assertThat(votes).isEmpty();
    assertThat(nodes.findLeader()).isNull();
    leader.start();
    nodes.write(2);
    assertThat(wrong.state()).isEqualTo(halted);
    assertThat(isQuarantined(wrong)).isTrue();
    nodes.weather = (from, to, frame) -> 1;
    untilHealed(nodes, wrong);
  }

  @Test
  void aRestartChangesNothingAboutAQuarantine() {
    TestNodes nodes = begun(5, 3);
    TestNode wrong = follower(nodes);
    nodes.weather = (from, to, frame) -> frame instanceof SnapshotFrame.Wanted ? 0 : 1;
    wrong.process().machine.corrupt();
    writeUntilQuarantined(nodes, wrong);
    nodes.until("it is written down", () -> wrong.disk.names().contains(QuarantineMark.FILE));
    nodes.pass(2);
    for (int i = 0; i < 2; i++) {
      wrong.crash();
      wrong.start();
      nodes.write(3);
      nodes.pass(5);
      assertThat(status(wrong).phase()).isEqualTo(Phase.WAITING);
      assertThat(wrong.process().machine.checks().distrusted).isTrue();
      assertThat(wrong.state().applied().index()).isLessThanOrEqualTo(verdictIndex(wrong));
    }
    nodes.weather = (from, to, frame) -> 1;
    untilHealed(nodes, wrong);
    wrong.crash();
    wrong.start();
    nodes.write(3);
    nodes.untilEqual();
    assertThat(isQuarantined(wrong)).isFalse();
    assertThat(status(wrong).divergences()).isEqualTo(1);
  }

  /** The evidence is what was wrong, and stays until there is newer one. */
  @Test
  void theWrongStateIsKept() {
    TestNodes nodes = begun(6, 3);
    TestNode wrong = follower(nodes);
    wrong.process().machine.corrupt();
    writeUntilQuarantined(nodes, wrong);
    untilHealed(nodes, wrong);
    SimulatedDisk kept = wrong.disk.child(QuarantineMark.EVIDENCE);
    TestMachine.State evidence = TestMachine.State.decode(kept.content("state"));
    assertThat(evidence.applied().index()).isEqualTo(verdictIndex(wrong));
    if (!(status(wrong).last() instanceof Divergence last)) {
      throw new AssertionError("it was quarantined");
    }
    QuarantineMark mark = new QuarantineMark(wrong.disk);
    assertThat(mark.find()).isEqualTo(new QuarantineMark.Found(false, 1, last));
  }

  @Test
  void aSnapshotOfTheWrongStateIsNotWhatItIsRebuiltFrom() {
    TestNodes nodes = begun(7, 3);
    TestNode wrong = follower(nodes);
    wrong.process().machine.corrupt();
    take(nodes, wrong);
    writeUntilQuarantined(nodes, wrong);
    untilHealed(nodes, wrong);
    assertThat(wrong.process().snapshots.published())
        .hasSize(1)
        .allMatch(snapshot -> snapshot.meta().last().index() > verdictIndex(wrong));
  }

  /** A state that has gone wrong may contradict the log before anybody has compared it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStateThatContradictsTheLogIsReplaced(boolean leads) {
    TestNodes nodes = begun(40, 3);
    TestNode wrong = leads ? nodes.leader() : follower(nodes);
    take(nodes, wrong);
    wrong.process().machine.contradict();
    nodes.weather = (from, to, frame) -> frame instanceof SnapshotFrame.Wanted ? 0 : 1;
    propose(nodes.leader());
    nodes.until("it is quarantined", () -> isQuarantined(wrong));
    nodes.write(3);
    assertThat(status(wrong).last()).isInstanceOf(Contradiction.class);
    assertThat(nodes.leader()).isNotSameAs(wrong);
    // Nobody has said yet who is wrong.
    assertThat(new QuarantineMark(wrong.disk).find()).isNull();
    assertThat(wrong.process().snapshots.published()).isNotEmpty();
    long foundIndex = verdictIndex(wrong);

    nodes.weather = (from, to, frame) -> 1;
    nodes.until("it takes part again", () -> !isQuarantined(wrong));
    nodes.write(3);
    nodes.untilEqual();
    assertThat(wrong.process().snapshots.published())
        .isNotEmpty()
        .allMatch(snapshot -> snapshot.meta().last().index() > foundIndex);
    SimulatedDisk kept = wrong.disk.child(QuarantineMark.EVIDENCE);
    assertThat(TestMachine.State.decode(kept.content("state")).applied().index())
        .isLessThan(foundIndex);
  }

  /** Whatever becomes of it. */
  private static void propose(TestNode leader) {
    TestNode.Life life = leader.process();
    life.loop.execute(() -> life.node.propose("contradicts".getBytes(US_ASCII), new Results()));
  }

  private static void take(TestNodes nodes, TestNode node) {
    boolean[] taken = {false};
    TestNode.Life life = node.process();
    life.loop.execute(
        () -> {
          var unused = life.node.takeSnapshot().thenAccept(snapshot -> taken[0] = true);
        });
    nodes.until("a snapshot", () -> taken[0]);
  }

  /** If the code is wrong, every state contradicts the log: a better version goes on from there. */
  @Test
  void whatAllMembersCannotApplyCostsNobodyItsState() {
    TestNodes nodes = begun(41, 3);
    TestNode leader = nodes.leader();
    take(nodes, leader);
    List<TestMachine.State> before = new ArrayList<>();
    nodes.all.values().forEach(node -> before.add(node.state()));
    nodes.all.values().forEach(node -> node.process().machine.contradict());
    propose(leader);
    nodes.until(
        "a majority is quarantined",
        () -> nodes.all.values().stream().filter(SelfHealingTest::isQuarantined).count() >= 2);
    nodes.pass(50);
    assertThat(nodes.findLeader()).isNull();
    for (TestNode node : nodes.all.values()) {
      assertThat(before).contains(node.state());
      assertThat(new QuarantineMark(node.disk).find()).isNull();
      node.crash();
    }
    nodes.startAll();
    assertThat(leader.process().snapshots.published()).isNotEmpty();
    nodes.write(3);
    nodes.untilEqual();
  }

  @Test
  void aNodeAloneStopsAtAnEntryThatContradictsItsState() {
    TestNodes nodes = new TestNodes(42, 1);
    nodes.startAll();
    nodes.write(5);
    TestNode alone = nodes.leader();
    alone.process().machine.contradict();
    propose(alone);
    nodes.until("it has stopped", () -> !alone.isAlive());
    assertThat(alone.failures.toString()).contains("contradicts the log at entry 7");
  }

  /** Two that differ: nobody knows who is right. */
  @Test
  void withoutAMajorityNobodyIsQuarantinedAndTheLeaderSaysWhoDiffers() {
    TestNodes nodes = begun(8, 2);
    TestNode wrong = follower(nodes);
    wrong.process().machine.corrupt();
    for (int i = 0; i < 30; i++) {
      nodes.write(1);
      nodes.pass(1);
    }
    assertThat(status(nodes.leader()).alarm()).contains("n1 ").contains("n2 ");
    nodes.all.values().forEach(node -> assertThat(status(node).divergences()).isZero());
    nodes.all.values().forEach(node -> assertThat(isQuarantined(node)).isFalse());
  }

  /** Other versions may reckon otherwise: that says nothing about the state. */
  @Test
  void sumsOfOtherFormatsAreNotCompared() {
    TestNodes nodes = begun(9, 3);
    TestNode other = follower(nodes);
    other.process().machine.checks().format = 2;
    other.process().machine.corrupt();
    for (int i = 0; i < 30; i++) {
      nodes.write(1);
      nodes.pass(1);
    }
    assertThat(status(other).divergences()).isZero();
    assertThat(other.process().machine.checks().confirmedIndex()).isLessThan(20);
    assertThat(status(nodes.leader()).alarm()).isNull();
  }

  @Test
  void aNodeAloneComparesNothing() {
    TestNodes nodes = new TestNodes(10, 1);
    nodes.checkEntries = 8;
    nodes.startAll();
    nodes.write(50);
    assertThat(nodes.leader().process().machine.checks().remembered()).isEmpty();
    assertThat(nodes.leader().state().applied().index()).isEqualTo(51);
  }

  /** Learners are compared, but say nothing about who is right. */
  @Test
  void aLearnerThatDivergesIsRebuiltToo() {
    TestNodes nodes = begun(11, 3);
    TestNode learner = nodes.join(4);
    TestNode leader = nodes.leader();
    List<Object> ends = new ArrayList<>();
    Set<NodeId> voters = new TreeSet<>(Set.of(TestNodes.id(1), TestNodes.id(2), TestNodes.id(3)));
    leader
        .process()
        .loop
        .execute(
            () ->
                leader
                    .node()
                    .changeMembership(
                        MembershipChange.to(voters, Set.of(TestNodes.id(4)), Map.of()),
                        new Ends(ends)));
    nodes.until("n4 learns", () -> !ends.isEmpty());
    nodes.untilEqual();
    assertThat(learner.node().role()).isEqualTo(RoleName.LEARNER);
    learner.process().machine.corrupt();
    writeUntilQuarantined(nodes, learner);
    untilHealed(nodes, learner);
    assertThat(status(learner).divergences()).isEqualTo(1);
  }

  private record Results() implements ProposalListener<Long> {
    @Override
    public void applied(Long result) {}

    @Override
    public void refused(Refusal why) {}

    @Override
    public void unknown(String why) {}
  }

  private record Ends(List<Object> ends) implements ProposalListener<Membership> {
    @Override
    public void applied(Membership result) {
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

  /** Power is lost before and after each call to the disk, from the verdict to the last step. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCrashAnywhereOnTheWayLeadsToTheSameEnd(boolean after) {
    for (int call = 1; call < 400; call += 7) {
      TestNodes nodes = begun(20 + call, 3);
      TestNode wrong = follower(nodes);
      wrong.process().machine.corrupt();
      if (after) {
        wrong.disk.crashAfter(call);
      } else {
        wrong.disk.crashBefore(call);
      }
      for (int i = 0; i < 25; i++) {
        nodes.write(1);
        nodes.pass(1);
        if (!wrong.isAlive()) {
          wrong.start();
        }
      }
      nodes.until("it is right again", () -> wrong.isAlive() && !isQuarantined(wrong));
      nodes.write(3);
      nodes.untilEqual();
    }
  }
}
