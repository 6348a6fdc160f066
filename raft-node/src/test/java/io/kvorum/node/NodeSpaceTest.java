package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.DiskFullException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** FAULTS F045, F070: what members do when their disks fill up, and when there is space again. */
class NodeSpaceTest {
  private static final int RESERVE = 16 << 10;
  private static final SpaceConfig SPACE = new SpaceConfig(RESERVE, 160 << 10, 64 << 10);
  private static final long PLENTY = 1 << 30;

  private static TestNodes started(int count) {
    TestNodes nodes = new TestNodes(7, count);
    nodes.spaceConfig = SPACE;
    nodes.ballastBytes = 10_000;
    nodes.all.values().forEach(node -> node.disk.quotaBytes(PLENTY));
    nodes.startAll();
    nodes.write(3);
    nodes.until("all have a reserve", () -> nodes.all.values().stream().allMatch(n -> reserve(n)));
    return nodes;
  }

  private static boolean reserve(TestNode node) {
    return node.disk.names().contains(ReserveFile.NAME);
  }

  private static SpaceState state(TestNode node) {
    return node.node().spaceStatus().state();
  }

  private static Refusal.NoSpace refusal(TestNode node) {
    assertThat(node.node().spaceRefusal()).isInstanceOf(Refusal.NoSpace.class);
    return (Refusal.NoSpace) node.node().spaceRefusal();
  }

  @Test
  void lowLeaderRefusesThenHandsOverAndNobodyHandsBack() {
    TestNodes nodes = started(3);
    TestNode low = nodes.leader();
    low.disk.spaceLeft(100 << 10);
    nodes.until("it is low", () -> state(low) == SpaceState.LOW);
    Refusal.NoSpace refusal = refusal(low);
    assertThat(refusal.othersHave()).as("a caller may try again: another one leads soon").isTrue();
    assertThat(refusal.why()).contains(low.id + " has", "bytes left", "mark is " + (160 << 10));
    nodes.until("another one leads", () -> nodes.findLeader() != null && nodes.leader() != low);
    long term = nodes.leader().node().term();
    nodes.write(5);
    nodes.pass(10);
    assertThat(nodes.leader().node().term()).as("and goes on leading").isEqualTo(term);
    assertThat(low.node().spaceRefusal()).as("a follower says who leads").isNull();
    assertThat(reserve(low)).isTrue();
    low.disk.quotaBytes(PLENTY);
    nodes.until("it is not low", () -> state(low) == SpaceState.OK);
    nodes.write(3);
    nodes.untilEqual();
  }

  @Test
  void leaderStaysWhereAllAreLowAndTakesWhatNeedsNoSpace() {
    TestNodes nodes = started(3);
    TestNode leader = nodes.leader();
    long term = leader.node().term();
    nodes.all.values().forEach(node -> node.disk.spaceLeft(150 << 10));
    nodes.until(
        "the leader knows", () -> state(leader) == SpaceState.LOW && !refusal(leader).othersHave());
    nodes.pass(10);
    assertThat(nodes.leader()).isSameAs(leader);
    assertThat(leader.node().term()).isEqualTo(term);
    nodes.write(3);
    nodes.all.values().forEach(node -> node.disk.quotaBytes(PLENTY));
    nodes.until("it takes all again", () -> leader.node().spaceRefusal() == null);
    nodes.untilEqual();
  }

  /**
   * What the leader took would fill those disks to the end, and then nothing could be committed.
   */
  @Test
  void leaderWithSpaceRefusesWhereAMajorityHasNone() {
    TestNodes nodes = started(3);
    TestNode leader = nodes.leader();
    List<TestNode> others = new ArrayList<>(nodes.all.values());
    others.remove(leader);
    others.get(0).disk.spaceLeft(100 << 10);
    nodes.pass(3);
    assertThat(leader.node().spaceRefusal()).as("two of three are enough").isNull();
    others.get(1).disk.spaceLeft(100 << 10);
    nodes.until("it refuses", () -> leader.node().spaceRefusal() != null);
    assertThat(refusal(leader).othersHave()).isFalse();
    assertThat(refusal(leader).why()).contains("too many voters");
    others.get(1).disk.quotaBytes(PLENTY);
    nodes.until("it takes all again", () -> leader.node().spaceRefusal() == null);
  }

  /** Who is silent is not low for ever. */
  @Test
  void claimOfAMemberThatIsGoneRunsOut() {
    TestNodes nodes = started(3);
    TestNode leader = nodes.leader();
    List<TestNode> others = new ArrayList<>(nodes.all.values());
    others.remove(leader);
    others.forEach(node -> node.disk.spaceLeft(100 << 10));
    nodes.until("it refuses", () -> leader.node().spaceRefusal() != null);
    others.get(0).crash();
    nodes.until("it takes all again", () -> leader.node().spaceRefusal() == null);
  }

  @Test
  void reserveIsGivenUpBelowTheCriticalMarkAndMadeAgainWellAboveTheLowOne() {
    TestNodes nodes = started(1);
    TestNode node = nodes.leader();
    node.disk.spaceLeft((64 << 10) - 1);
    nodes.until("it is critical", () -> state(node) == SpaceState.CRITICAL);
    assertThat(reserve(node)).isFalse();
    assertThat(node.disk.usableBytes()).isEqualTo((64 << 10) - 1 + RESERVE);
    nodes.pass(5);
    assertThat(state(node)).isEqualTo(SpaceState.CRITICAL);
    node.disk.spaceLeft(SPACE.resumeBytes() + RESERVE - 1);
    nodes.until("it is not low", () -> state(node) == SpaceState.OK);
    nodes.pass(5);
    assertThat(reserve(node)).as("with it there would be too little again").isFalse();
    node.disk.spaceLeft(SPACE.resumeBytes() + RESERVE);
    nodes.until("it has a reserve", () -> reserve(node));
    assertThat(state(node)).isEqualTo(SpaceState.OK);
    assertThat(node.disk.read(ReserveFile.NAME)).hasSize(RESERVE);
  }

  /** A start writes small files; and another setting counts from then on. */
  @Test
  void startOnAFullDiskUsesTheReserve() {
    TestNodes nodes = started(1);
    TestNode node = nodes.leader();
    node.disk.spaceLeft(0);
    node.crash();
    assertThat(reserve(node)).isTrue();
    assertThat(node.start()).isTrue();
    assertThat(reserve(node)).isFalse();
    nodes.until("it leads", () -> nodes.findLeader() != null);
    assertThat(node.node().spaceRefusal()).isNotNull();
    node.disk.quotaBytes(PLENTY);
    nodes.until("it has a reserve", () -> reserve(node));
    nodes.spaceConfig = SpaceConfig.NONE;
    node.crash();
    node.start();
    assertThat(reserve(node)).isFalse();
  }

  /** It neither acknowledges nor stops; the others go on; space is all that it needs. */
  @Test
  void followerWhoseLogIsFullWaitsAndGoesOn() {
    TestNodes nodes = started(3);
    TestNode leader = nodes.leader();
    TestNode full =
        nodes.all.values().stream().filter(node -> node != leader).findFirst().orElseThrow();
    // Enough for the state machine's small file.
    full.disk.spaceLeft(4 << 10);
    nodes.write(80);
    assertThat(full.node().spaceStatus().blocked()).isTrue();
    assertThat(full.node().durableIndex()).isLessThan(leader.node().commitIndex());
    nodes.pass(5);
    assertThat(full.node().status().diskStalled()).isTrue();
    full.disk.quotaBytes(PLENTY);
    nodes.untilEqual();
    assertThat(full.node().spaceStatus().blocked()).isFalse();
    assertThat(full.failures).isEmpty();
  }

  /** FAULTS F045, F070: at any call that takes space, of any file. */
  @Test
  void nodeThatIsFullAtAnyCallLosesNothingAndGoesOn() {
    int waited = 0;
    int stopped = 0;
    for (int call = 1; call < 120; call += 9) {
      TestNodes nodes = started(1);
      TestNode node = nodes.leader();
      node.disk.fullFrom(call);
      for (int i = 0; i < 4 && node.isAlive(); i++) {
        nodes.offer(node, 25);
        nodes.pass(1);
      }
      long acknowledged = nodes.acknowledged;
      if (node.isAlive()) {
        waited += node.node().spaceStatus().blocked() ? 1 : 0;
        assertThat(node.node().commitIndex()).isLessThanOrEqualTo(node.node().durableIndex());
      } else {
        stopped++;
        Throwable why = node.failures.get(node.failures.size() - 1);
        assertThat(why).as("call " + call).isInstanceOf(DiskFullException.class);
        assertThat(why).hasMessageContaining("simulated:/").hasMessageContaining("full");
      }
      node.disk.quotaBytes(PLENTY);
      if (!node.isAlive()) {
        node.start();
      }
      nodes.write(3);
      nodes.untilEqual();
      assertThat(node.state().applied().index()).isGreaterThanOrEqualTo(acknowledged);
      assertThat(nodes.acknowledged).isGreaterThanOrEqualTo(acknowledged + 3);
    }
    assertThat(waited).isGreaterThan(2);
    assertThat(stopped).isPositive();
  }
}
