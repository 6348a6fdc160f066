package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.EntryId;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crash or a failing disk leaves of an installation, and what a start makes of it. */
final class SnapshotInstallTest {
  /** n3 is behind, and its snapshots are so small that few calls to its disk are about them. */
  private static TestNodes withOneBehind(long seed) {
    TestNodes nodes = new TestNodes(seed, 3);
    nodes.ballastBytes = 300;
    nodes.startAll();
    nodes.write(5);
    nodes.untilEqual();
    nodes.node(3).crash();
    nodes.pass(2);
    nodes.write(100);
    TestNode leader = nodes.leader();
    nodes.until("the leader has cut its log", () -> leader.compacted() > 30);
    return nodes;
  }

  /**
   * FAULTS F061, F062: power is lost at each call that n3 makes to its disk, from its start until
   * it has caught up, once before the call and once after it.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCrashAtAnyCallLeavesTheOldStateOrTheNew(boolean after) {
    TestNodes nodes = withOneBehind(1);
    TestNode leader = nodes.leader();
    TestNode n3 = nodes.node(3);
    SimulatedDisk.Image behind = n3.disk.image();
    int crashes = 0;
    int unfinished = 0;
    for (long call = 1; ; call++) {
      n3.disk.restart();
      n3.disk.restore(behind);
      if (!crashAt(nodes, n3, call, after)) {
        break;
      }
      crashes++;
      n3.crash();
      n3.disk.restart();
      boolean isMarked = n3.disk.names().contains("installing");
      unfinished += isMarked ? 1 : 0;
      assertThat(n3.start()).as("start after a crash at call " + call).isTrue();
      TestMachine.State state = n3.state();
      EntryId old = new EntryId(5, 1);
      assertThat(state.applied().index() <= 6 || state.applied().index() > 30)
          .as(state + " is no mixture, after a crash at call " + call + ", old " + old)
          .isTrue();
      assertThat(n3.compacted()).isLessThanOrEqualTo(state.applied().index());
      nodes.untilEqual();
      assertThat(n3.failures).allMatch(io.kvorum.disk.simulated.SimulatedCrash.class::isInstance);
      n3.crash();
    }
    assertThat(crashes).isGreaterThan(50);
    assertThat(unfinished).as("crashes between the first and the last step").isGreaterThan(5);
    assertThat(leader.isAlive()).isTrue();
  }

  /** Whether power was lost before it had caught up. */
  private static boolean crashAt(TestNodes nodes, TestNode n3, long call, boolean after) {
    if (after) {
      n3.disk.crashAfter(call);
    } else {
      n3.disk.crashBefore(call);
    }
    if (n3.startOnRunningDisk()) {
      nodes.until("n3 has caught up or crashed", () -> !n3.isAlive() || hasCaughtUp(nodes, n3));
    }
    boolean crashed = n3.disk.isDown();
    n3.disk.calm();
    return crashed;
  }

  /**
   * FAULTS F061, F167: the call fails, once or from then on, and the machine goes on; what a failed
   * sync has lost looks fine to the next life.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorAtAnyCallLeavesTheOldStateOrTheNew(boolean forEver) {
    TestNodes nodes = withOneBehind(6);
    TestNode n3 = nodes.node(3);
    SimulatedDisk.Image behind = n3.disk.image();
    int ended = 0;
    boolean met = true;
    for (long call = forEver ? 2 : 1; met; call += 3) {
      n3.disk.restart();
      n3.disk.restore(behind);
      n3.failures.clear();
      met = failAt(nodes, n3, call, forEver);
      if (!n3.isAlive()) {
        ended++;
        assertThat(n3.start()).as("start after an error at call " + call).isTrue();
        long applied = n3.state().applied().index();
        assertThat(applied <= 6 || applied > 30).as("no mixture, call " + call).isTrue();
        assertThat(n3.compacted()).isLessThanOrEqualTo(applied);
      }
      nodes.untilEqual();
      n3.crash();
    }
    assertThat(ended).as("lives that an error has ended").isGreaterThan(8);
  }

  /** Whether the call came before it had caught up. */
  private static boolean failAt(TestNodes nodes, TestNode n3, long call, boolean forEver) {
    final long before = n3.disk.calls();
    if (forEver) {
      n3.disk.failFrom(call);
    } else {
      n3.disk.failAt(call);
    }
    try {
      n3.startOnRunningDisk();
      nodes.until(
          "n3 has caught up, or met it",
          () ->
              !n3.isAlive()
                  || hasCaughtUp(nodes, n3)
                  || (forEver && n3.disk.calls() - before >= call));
    } catch (UncheckedIOException atStart) {
      n3.failures.add(atStart);
    }
    boolean met = n3.disk.calls() - before >= call;
    n3.disk.calm();
    return met;
  }

  private static boolean hasCaughtUp(TestNodes nodes, TestNode n3) {
    return n3.node().status().appliedIndex() == nodes.leader().node().last().index()
        && !n3.node().snapshotStatus().installing();
  }

  /** FAULTS F067: the state is a copy, too, and can be made of what is left. */
  @Test
  void aStateThatIsLostIsMadeAnewOfASnapshotAndTheLog() {
    TestNodes nodes = withOneBehind(2);
    TestNode leader = nodes.leader();
    TestMachine.State before = leader.state();
    leader.crash();
    leader.disk.restart();
    leader.disk.child("state").lose("state");
    leader.start();
    assertThat(leader.state().applied().index()).isGreaterThan(30);
    assertThat(leader.process().logStore.last().index())
        .as("entries behind the snapshot were acknowledged, and stay")
        .isEqualTo(before.applied().index());
    nodes.node(3).start();
    nodes.untilEqual();
  }

  @Test
  void aSnapshotThatIsBeingInstalledAndIsGoneIsNamed() {
    TestNodes nodes = withOneBehind(3);
    TestNode leader = nodes.leader();
    leader.crash();
    leader.disk.restart();
    new InstallMark(leader.disk).set("00000000000000000031-1");
    assertThatThrownBy(leader::start)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("snapshot 00000000000000000031-1, which is not there")
        .hasMessageContaining("new member");
  }

  @Test
  void aDamagedOneIsNotInstalledByAStart() {
    TestNodes nodes = withOneBehind(4);
    TestNode leader = nodes.leader();
    String name = leader.process().snapshots.published().get(0).name();
    leader.crash();
    leader.disk.restart();
    new InstallMark(leader.disk).set(name);
    leader.disk.child("snapshots").child(name).child("files").flipBit("ballast-0", 5);
    assertThatThrownBy(leader::start)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is damaged")
        .hasMessageContaining("ballast-0");
  }

  /** FAULTS F042: nobody knows what a start would find, so the node does not go on. */
  @Test
  void aDiskThatFailsBetweenTheStepsStopsTheNode() {
    TestNodes nodes = withOneBehind(5);
    TestNode n3 = nodes.node(3);
    n3.start();
    nodes.until("the state is being replaced", () -> n3.disk.names().contains("installing"));
    n3.disk.failFrom(1);
    nodes.until("it has stopped itself", () -> !n3.failures.isEmpty());
    assertThat(n3.isAlive()).isFalse();
    n3.start();
    nodes.untilEqual();
  }
}
