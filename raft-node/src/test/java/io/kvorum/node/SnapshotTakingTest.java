package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.snapshot.Manifest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When snapshots are taken, and what stays of the log and of older ones. */
final class SnapshotTakingTest {
  private static final SnapshotConfig NEVER = SnapshotConfig.NEVER.withLogBounds(0, 64 << 10);

  private static TestNodes alone(SnapshotConfig config) {
    TestNodes nodes = new TestNodes(1, 1);
    nodes.ballastBytes = 300;
    nodes.snapshotConfig = config;
    return nodes.startAll();
  }

  private static Manifest take(TestNodes nodes) {
    TestNode leader = nodes.leader();
    List<CompletableFuture<Manifest>> asked = new ArrayList<>();
    leader.process().loop.execute(() -> asked.add(leader.node().takeSnapshot()));
    nodes.until("it is asked for", () -> !asked.isEmpty());
    CompletableFuture<Manifest> taken = asked.get(0);
    nodes.until("it is taken or not", taken::isDone);
    return taken.join();
  }

  @Test
  void withoutThresholdsNoneIsTakenUnlessAskedFor() {
    TestNodes nodes = alone(NEVER);
    nodes.write(200);
    nodes.pass(100);
    assertThat(nodes.node(1).process().snapshots.published()).isEmpty();
    assertThat(nodes.node(1).compacted()).isZero();
    Manifest taken = take(nodes);
    assertThat(taken.meta().last()).isEqualTo(nodes.node(1).state().applied());
    assertThat(taken.meta().membership().voters()).containsExactly(TestNodes.id(1));
    nodes.until("the log is cut", () -> nodes.node(1).compacted() > 100);
    assertThat(take(nodes)).as("nothing has changed").isEqualTo(taken);
  }

  /** Else nobody who is behind the beginning of the log could be helped (simulator). */
  @Test
  void aLogWhoseBeginningNoSnapshotReachesBringsOne() {
    TestNodes nodes = alone(NEVER);
    TestNode node = nodes.node(1);
    nodes.write(200);
    take(nodes);
    nodes.until("the log is cut", () -> node.compacted() > 100);
    nodes.pass(10);
    node.crash();
    node.disk.restart();
    SimulatedDisk snapshots = node.disk.child("snapshots");
    snapshots.directories().forEach(snapshots::deleteDirectory);
    snapshots.syncDirectory();
    node.startOnRunningDisk();
    nodes.until("it has one", () -> !node.process().snapshots.published().isEmpty());
    assertThat(node.node().snapshotStatus().newest().index()).isGreaterThan(100);
  }

  @Test
  void enoughLogOrEnoughTimeBringsOneAndTheOlderOneGoes() {
    TestNodes nodes = alone(NEVER.withLogBytes(40 << 10).withInterval(Duration.ofSeconds(60)));
    TestNode node = nodes.node(1);
    nodes.write(30);
    nodes.pass(5);
    assertThat(node.process().snapshots.published()).isEmpty();
    nodes.write(15);
    nodes.until("one is taken", () -> !node.process().snapshots.published().isEmpty());
    Manifest first = node.process().snapshots.published().get(0);
    nodes.pass(100);
    nodes.write(1);
    nodes.until(
        "another one is, since the first is old",
        () -> node.node().snapshotStatus().newest().index() > first.meta().last().index());
    nodes.pass(100);
    assertThat(node.process().snapshots.published()).hasSize(1).doesNotContain(first);
  }

  @Test
  void whatIsConfiguredToStayOfTheLogStays() {
    TestNodes nodes = alone(NEVER.withLogBytes(40 << 10).withLogBounds(60 << 10, 200 << 10));
    nodes.write(300);
    nodes.pass(5);
    long bytes = nodes.node(1).process().logStore.sizeBytes();
    assertThat(bytes).isBetween(60L << 10, (60L << 10) + 3 * (16 << 10));
  }

  /** A follower that lives is fed from the log within the budget, and gets a snapshot beyond it. */
  @Test
  void aFollowerThatLagsIsFedFromTheLogWithinTheBudget() {
    TestNodes nodes = new TestNodes(3, 3);
    nodes.ballastBytes = 1_000;
    nodes.snapshotConfig = NEVER.withLogBytes(20 << 10).withLogBounds(0, 400 << 10);
    nodes.startAll();
    nodes.write(2);
    TestNode leader = nodes.leader();
    TestNode slow = nodes.all.values().stream().filter(node -> node != leader).findFirst().get();
    // It answers, and gets no entries.
    nodes.weather = (from, to, frame) -> to.equals(slow.id) && SlowLink.hasEntries(frame) ? 0 : 1;
    nodes.write(200);
    nodes.pass(3);
    assertThat(leader.node().snapshotStatus().newest().index()).isGreaterThan(100);
    assertThat(leader.compacted()).as("within the budget").isZero();
    nodes.write(400);
    nodes.until("beyond the budget it is cut", () -> leader.compacted() > 200);
    nodes.weather = (from, to, frame) -> 1;
    nodes.untilEqual();
    assertThat(nodes.sent(leader, SnapshotFrame.Offer.class)).isNotEmpty();
  }

  /** Which messages carry entries. */
  private static final class SlowLink {
    static boolean hasEntries(Object frame) {
      return frame instanceof io.kvorum.raft.Envelope envelope
          && envelope.message() instanceof io.kvorum.raft.Message.AppendEntries append
          && !append.entries().isEmpty();
    }
  }

  /** FAULTS F070, second half: the sender's disk is full. The node goes on, and tries again. */
  @Test
  void aDiskWithoutSpaceForASnapshotLeavesTheNodeAlone() {
    TestNodes nodes = alone(NEVER.withLogBytes(40 << 10));
    nodes.ballastBytes = 300_000;
    nodes.node(1).crash();
    nodes.startAll();
    nodes.write(30);
    nodes.pass(1);
    TestNode node = nodes.node(1);
    node.disk.spaceLeft(200_000);
    nodes.write(20);
    nodes.pass(100);
    assertThat(node.process().snapshots.published()).isEmpty();
    assertThat(node.disk.child("snapshots").child("draft").child("files").names()).isEmpty();
    assertThat(node.failures).isEmpty();
    node.disk.spaceLeft(10_000_000);
    nodes.until("one is taken", () -> !node.process().snapshots.published().isEmpty());
    nodes.write(1);
  }
}
