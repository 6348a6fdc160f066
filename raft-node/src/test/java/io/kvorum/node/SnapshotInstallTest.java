package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.raft.EntryId;
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
      TestNode leader = nodes.leader();
      nodes.until(
          "n3 has caught up or crashed",
          () ->
              !n3.isAlive()
                  || (n3.node().status().appliedIndex() == leader.node().last().index()
                      && !n3.node().snapshotStatus().installing()));
    }
    boolean crashed = n3.disk.isDown();
    n3.disk.calm();
    return crashed;
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
