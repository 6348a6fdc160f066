package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The paper's §5.4, and what a node refuses to start from. */
class SafetyTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  /** §5.4.1, and FAULTS F004: the order is by term, then by index, not by both at once. */
  @Test
  void voteGoesOnlyToAnUpToDateLog() {
    assertThat(votesFor(new EntryId(2, 1), 1, 1)).as("equal").isTrue();
    assertThat(votesFor(new EntryId(1, 1), 1, 1)).as("shorter").isFalse();
    assertThat(votesFor(new EntryId(3, 1), 1, 1)).as("longer").isTrue();
    assertThat(votesFor(new EntryId(1, 2), 1, 1)).as("later term, shorter").isTrue();
    assertThat(votesFor(new EntryId(9, 1), 2)).as("earlier term, longer").isFalse();
  }

  private static boolean votesFor(EntryId last, long... terms) {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(2, null), terms);
    cluster.step(new Envelope(N2, N1, 3, new Message.RequestVote(last, false, false)));
    return ((Message.RequestVoteResponse) cluster.sent.get(0).message()).granted();
  }

  /**
   * §5.4.2, figure 8 (c) and (d): an entry of an earlier term lies on a majority, but a later
   * leader may still overwrite it, so it must not have been committed.
   */
  @Test
  void entryOfAnEarlierTermIsNotCommittedByCounting() {
    TestCluster cluster = TestCluster.of(5);
    for (String node : List.of("n1", "n2", "n3")) {
      cluster.preset(node, new HardState(3, null), 1, 2);
    }
    cluster.preset("n4", new HardState(3, null), 1);
    cluster.preset("n5", new HardState(3, null), 1, 3);
    cluster.isolate("n4");
    cluster.isolate("n5");
    cluster.campaign("n1");
    cluster.deliver("n1", "n2");
    cluster.deliver("n1", "n3");
    cluster.deliver("n2", "n1");
    cluster.deliver("n3", "n1");
    cluster.deliver("n1", "n2");
    cluster.deliver("n1", "n3");
    cluster.deliver("n2", "n1");
    cluster.deliver("n3", "n1");
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.LEADER);

    // Its own entry is not on a majority, so what lies below is not committed.
    Message onlyTheOldOne = new Message.AppendEntriesResponse(2, 0, null, 0);
    cluster.step(new Envelope(N2, N1, 4, onlyTheOldOne));
    cluster.step(new Envelope(new NodeId("n3"), N1, 4, onlyTheOldOne));
    assertThat(cluster.core("n1").commitIndex()).isZero();

    // And rightly so: n5 may win now, and overwrite it.
    cluster.crash("n1");
    cluster.heal();
    cluster.elect("n5");
    cluster.tickAll(20);
    assertThat(cluster.node("n2").applied.get(1).id()).isEqualTo(new EntryId(2, 3));
  }

  @Test
  void entriesOfEarlierTermsAreCommittedBelowOneOfTheOwn() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(2, null), 1, 2);
    cluster.elect("n1");
    assertThat(cluster.core("n3").commitIndex()).isEqualTo(3);
  }

  @Test
  void committedEntryThatALeaderWouldReplaceStopsTheNode() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    Message append =
        new Message.AppendEntries(EntryId.ZERO, List.of(Entry.noOp(1, 2), Entry.noOp(2, 2)), 0, 0);
    assertThatThrownBy(() -> cluster.step(new Envelope(N1, N2, 2, append)))
        .isInstanceOf(InvariantViolation.class);
  }

  /** FAULTS F025: what lies above the applied state is not known to be committed. */
  @Test
  void restartedNodeAppliesOnlyWhatItLearnsIsCommitted() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n3");
    cluster.hold("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    cluster.crash("n2");
    cluster.restart("n2");
    cluster.tick("n2", 5);
    assertThat(cluster.core("n2").status().last()).isEqualTo(new EntryId(2, 1));
    assertThat(cluster.core("n2").commitIndex()).isEqualTo(1);
    assertThat(cluster.node("n2").applied).hasSize(1);
  }

  /** FAULTS F098. */
  @Test
  void commitIndexStartsAtWhatIsApplied() {
    TestCluster cluster = TestCluster.of(1);
    cluster.tick("n1", 1);
    cluster.propose("n1", "x");
    cluster.crash("n1");
    cluster.restart("n1");
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(2);
    assertThat(cluster.read("n1", 1)).as("a follower serves no read").isFalse();
    cluster.tick("n1", 1);
    cluster.read("n1", 2);
    assertThat(cluster.node("n1").reads).containsExactly(new Ready.ReadState(2, 3));
  }

  @Test
  void logThatEndsBelowTheStateIsRefused() {
    MemoryDisk disk = new MemoryDisk();
    disk.preset(HardState.INITIAL, 1, 1);
    assertThatThrownBy(() -> start(disk, new EntryId(3, 1)))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("the log ends at 2@1 but the state machine has applied 3@1");
  }

  @Test
  void logThatBeginsAboveTheStateIsRefused() {
    MemoryDisk disk = new MemoryDisk();
    disk.preset(HardState.INITIAL, 1, 1, 1);
    disk.compact(2);
    assertThatThrownBy(() -> start(disk, new EntryId(1, 1)))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("the log begins after 2@1");
    assertThat(start(disk, new EntryId(2, 1)).commitIndex()).isEqualTo(2);
  }

  @Test
  void logOfAnotherHistoryIsRefused() {
    MemoryDisk disk = new MemoryDisk();
    disk.preset(HardState.INITIAL, 1, 1);
    assertThatThrownBy(() -> start(disk, new EntryId(2, 2)))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("different histories");
  }

  private static RaftCore start(MemoryDisk disk, EntryId applied) {
    SnapshotMeta meta = new SnapshotMeta(applied, Membership.of(List.of(N1, N2)));
    return new RaftCore(TestCluster.config("n1"), disk.hardState(), meta, disk, () -> 0L);
  }
}
