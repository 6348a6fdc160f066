package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.RaftStatus.Progress.State;
import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The paper's §7: compaction, and snapshots instead of entries. */
class SnapshotTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N3 = new NodeId("n3");

  /** A leader n1 with five entries and a snapshot of all of them, n3 with the first. */
  private static TestCluster withN3Behind() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    for (int i = 0; i < 4; i++) {
      cluster.propose("n1", "x" + i);
    }
    cluster.deliver();
    cluster.compact("n1", 5);
    return cluster;
  }

  private static long snapshotsSent(TestCluster cluster) {
    return cluster.sent.stream()
        .filter(envelope -> envelope.message() instanceof Message.InstallSnapshot)
        .count();
  }

  private static RaftStatus.Progress progress(TestCluster cluster) {
    return cluster.core("n1").status().progress().get(N3);
  }

  /** FAULTS F075: the end of the log is the snapshot's, also after a restart. */
  @Test
  void nodeFilledByASnapshotIsElectableAndRefusesOlderLogs() {
    TestCluster cluster = withN3Behind();
    cluster.heal();
    cluster.tickAll(6);
    assertThat(cluster.node("n3").installs).isOne();
    cluster.crash("n3");
    cluster.restart("n3");
    assertThat(cluster.core("n3").status().last()).isEqualTo(new EntryId(5, 1));
    cluster.sent.clear();
    Message older = new Message.RequestVote(new EntryId(4, 1), false, true);
    cluster.step(new Envelope(new NodeId("n2"), N3, 2, older));
    assertThat(((Message.RequestVoteResponse) cluster.sent.get(0).message()).granted()).isFalse();
    cluster.crash("n1");
    cluster.elect("n3");
    assertThat(cluster.core("n2").leader()).isEqualTo(N3);
  }

  /** FAULTS F066: the log may begin exactly behind the snapshot, or further down. */
  @Test
  void oneSnapshotIsEnoughWhereverTheLogBegins() {
    for (long compacted = 2; compacted <= 5; compacted++) {
      TestCluster cluster = TestCluster.of(3).elect("n1");
      cluster.isolate("n3");
      for (int i = 0; i < 4; i++) {
        cluster.propose("n1", "x" + i);
      }
      cluster.deliver();
      cluster.node("n1").takeSnapshot(5);
      cluster.compact("n1", compacted);
      cluster.heal();
      cluster.tickAll(60);
      assertThat(snapshotsSent(cluster)).as("compacted to %d", compacted).isOne();
      assertThat(progress(cluster).state()).isEqualTo(State.REPLICATE);
      assertThat(cluster.node("n3").applied).hasSize(5);
    }
  }

  /** FAULTS F066: a follower that never finishes is asked again, ever more rarely. */
  @Test
  void lostSnapshotIsSentAgainAfterAPause() {
    TestCluster cluster = withN3Behind();
    cluster.node("n1").failsSnapshots = true;
    cluster.heal();
    cluster.sent.clear();
    int asked = 0;
    for (int i = 0; i < 400; i++) {
      cluster.tickAll(1);
      asked += progress(cluster).snapshotIndex() > 0 ? 1 : 0;
      cluster.propose("n1", "y");
    }
    assertThat(asked).as("a failure ends it at once").isZero();
    assertThat(progress(cluster).state()).isEqualTo(State.SNAPSHOT);
    cluster.node("n1").failsSnapshots = false;
    cluster.hold("n3");
    cluster.tickAll(400);
    assertThat(snapshotsSent(cluster)).isBetween(2L, 4L);
    cluster.release("n3");
    cluster.tickAll(5);
    assertThat(progress(cluster).state()).isEqualTo(State.REPLICATE);
    assertThat(progress(cluster).snapshotIndex()).isZero();
  }

  @Test
  void silentFollowerIsSentNone() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.unreachable("n1", "n3");
    cluster.propose("n1", "x");
    cluster.tickAll(12);
    cluster.compact("n1", 2);
    cluster.tickAll(50);
    assertThat(snapshotsSent(cluster)).isZero();
    assertThat(progress(cluster).state()).isEqualTo(State.SNAPSHOT);
  }

  @Test
  void nothingIsSentUntilASnapshotReachesTheLog() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    assertThatThrownBy(() -> cluster.core("n1").compacted(new EntryId(1, 1)))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("in a snapshot");
  }

  @Test
  void onlyWhatIsAppliedIsCompacted() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    cluster.propose("n1", "x");
    SnapshotMeta early = new SnapshotMeta(new EntryId(2, 1), cluster.membership());
    assertThatThrownBy(() -> cluster.core("n1").snapshot(early))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("only what is applied");
  }

  /** §7, InstallSnapshot, step 6: what lies behind the snapshot's last entry stays. */
  @Test
  void logThatHoldsTheSnapshotsLastEntryIsKept() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.cut("n3", "n1");
    cluster.propose("n1", "a");
    cluster.propose("n1", "b");
    cluster.deliver("n1", "n3");
    cluster.deliver("n1", "n3");
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(1);
    SnapshotMeta snapshot = new SnapshotMeta(new EntryId(2, 1), cluster.membership());
    cluster.sent.clear();
    cluster.step(new Envelope(N1, N3, 1, new Message.InstallSnapshot(snapshot)));
    RaftStatus status = cluster.core("n3").status();
    assertThat(status.last()).isEqualTo(new EntryId(3, 1));
    assertThat(status.commitIndex()).isEqualTo(2);
    assertThat(cluster.node("n3").installs).isZero();
    assertThat(cluster.node("n3").applied).hasSize(2);
    assertThat(cluster.sent.get(0).message())
        .isEqualTo(new Message.AppendEntriesResponse(3, 0, null, 0));
  }

  /** §7, step 7: a log that conflicts is gone whole. */
  @Test
  void conflictingLogIsReplaced() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n3", new HardState(1, null), 1, 1, 1, 1, 1, 1, 1, 1);
    cluster.preset("n1", new HardState(2, null), 2);
    cluster.preset("n2", new HardState(2, null), 2);
    cluster.isolate("n3");
    cluster.elect("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.compact("n1", 3);
    cluster.heal();
    cluster.tickAll(20);
    assertThat(cluster.node("n3").installs).isOne();
    assertThat(cluster.core("n3").status().last()).isEqualTo(cluster.core("n1").status().last());
    assertThat(cluster.node("n3").applied).hasSize(3);
  }

  /** What it took meanwhile it would lose, though it had acknowledged it. */
  @Test
  void nothingIsAcceptedWhileASnapshotIsInstalled() {
    TestCluster cluster = withN3Behind();
    cluster.heal();
    cluster.tick("n1", 3);
    cluster.deliver("n1", "n3");
    cluster.deliver("n3", "n1");
    cluster.hold("n3");
    cluster.deliver("n1", "n3");
    assertThat(cluster.node("n3").install).isNotNull();
    cluster.sent.clear();
    Message append =
        new Message.AppendEntries(
            new EntryId(1, 1), List.of(new Entry(2, 1, EntryType.COMMAND, new byte[0])), 2, 0);
    cluster.step(new Envelope(N1, N3, 1, append));
    assertThat(cluster.core("n3").status().last()).isEqualTo(new EntryId(1, 1));
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(1);
    cluster.step(new Envelope(N1, N3, 1, new Message.TimeoutNow()));
    cluster.tick("n3", 50);
    assertThat(cluster.core("n3").role()).as("it does not campaign").isEqualTo(RoleName.FOLLOWER);
    cluster.release("n3");
    assertThat(cluster.core("n3").status().last()).isEqualTo(new EntryId(5, 1));
  }

  @Test
  void damagedSnapshotChangesNothing() {
    TestCluster cluster = withN3Behind();
    cluster.heal();
    cluster.tick("n1", 3);
    cluster.deliver("n1", "n3");
    cluster.deliver("n3", "n1");
    cluster.hold("n3");
    cluster.deliver("n1", "n3");
    TestNode n3 = cluster.node("n3");
    SnapshotMeta damaged = n3.install;
    assertThat(damaged).isNotNull();
    n3.install = null;
    n3.core().installFailed(damaged);
    assertThat(n3.core().status().last()).isEqualTo(new EntryId(1, 1));
    cluster.release("n3");
    cluster.tickAll(60);
    assertThat(n3.applied).as("the next one is good").hasSize(5);
  }

  @Test
  void writeUnderWayIsNotTakenForTheNewLog() {
    TestCluster cluster = withN3Behind();
    TestNode n3 = cluster.node("n3");
    cluster.hold("n3");
    Message append =
        new Message.AppendEntries(
            new EntryId(1, 1), List.of(new Entry(2, 1, EntryType.COMMAND, new byte[0])), 1, 0);
    cluster.step(new Envelope(N1, N3, 1, append));
    cluster.step(
        new Envelope(N1, N3, 1, new Message.InstallSnapshot(cluster.node("n1").snapshot())));
    cluster.release("n3");
    RaftStatus status = n3.core().status();
    assertThat(status.last()).isEqualTo(new EntryId(5, 1));
    assertThat(status.durableIndex()).isEqualTo(5);
    assertThat(status.compacted()).isEqualTo(new EntryId(5, 1));
  }
}
