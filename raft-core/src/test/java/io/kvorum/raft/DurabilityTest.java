package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The thesis' §10.2.1: the disk works while messages travel, and nothing is promised too early. */
class DurabilityTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  /** FAULTS F001. */
  @Test
  void candidateAsksForVotesOnlyWhenItsOwnIsDurable() {
    TestCluster cluster = TestCluster.of(3);
    cluster.hold("n1");
    cluster.campaign("n1");
    cluster.deliver();
    assertThat(cluster.core("n1").role()).isEqualTo(RoleName.CANDIDATE);
    assertThat(cluster.core("n1").term()).isEqualTo(1);
    assertThat(votesAskedFor(cluster)).isZero();
    cluster.release("n1");
    assertThat(votesAskedFor(cluster)).isEqualTo(2);
    assertThat(cluster.node("n1").disk.hardState()).isEqualTo(new HardState(1, N1));
  }

  private static long votesAskedFor(TestCluster cluster) {
    return cluster.sent.stream()
        .filter(e -> e.message() instanceof Message.RequestVote vote && !vote.preVote())
        .count();
  }

  @Test
  void everyAnswerInANewTermWaitsUntilTheTermIsDurable() {
    TestCluster cluster = TestCluster.of(3);
    cluster.hold("n1");
    cluster.step(new Envelope(N2, N1, 5, heartbeat(1)));
    cluster.step(new Envelope(N2, N1, 5, heartbeat(2)));
    assertThat(cluster.sent).isEmpty();
    cluster.release("n1");
    assertThat(cluster.sent).hasSize(2).allMatch(envelope -> envelope.term() == 5);
  }

  private static Message heartbeat(long round) {
    return new Message.AppendEntries(EntryId.ZERO, List.of(), 0, round);
  }

  /** FAULTS F028: one answer for each sync, and never more than is durable. */
  @Test
  void followerAcknowledgesWhatIsDurable() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(new Envelope(N2, N1, 1, heartbeat(0)));
    cluster.sent.clear();
    cluster.hold("n1");
    cluster.step(append(1, EntryId.ZERO, 0, Entry.noOp(1, 1), Entry.noOp(2, 1)));
    cluster.step(append(1, new EntryId(2, 1), 0, Entry.noOp(3, 1)));
    assertThat(cluster.sent).isEmpty();

    // A round of reads does not wait for the disk; nor does it claim more than the disk has.
    cluster.step(append(1, new EntryId(3, 1), 1, Entry.noOp(4, 1)));
    assertThat(takeAnswer(cluster)).isEqualTo(new Message.AppendEntriesResponse(0, 0, null, 1));
    cluster.syncOne("n1");
    assertThat(takeAnswer(cluster)).isEqualTo(new Message.AppendEntriesResponse(2, 0, null, 0));
    cluster.release("n1");
    assertThat(takeAnswer(cluster)).isEqualTo(new Message.AppendEntriesResponse(4, 0, null, 0));
    assertThat(cluster.sent).isEmpty();
  }

  @Test
  void repeatedAppendOfDurableEntriesIsAcknowledgedAtOnce() {
    TestCluster cluster = TestCluster.of(3);
    cluster.step(append(1, EntryId.ZERO, 0, Entry.noOp(1, 1)));
    cluster.sent.clear();
    cluster.hold("n1");
    cluster.step(append(1, EntryId.ZERO, 0, Entry.noOp(1, 1)));
    assertThat(takeAnswer(cluster)).isEqualTo(new Message.AppendEntriesResponse(1, 0, null, 0));
  }

  /** FAULTS F022: neither alone nor in a group does the leader count itself before its sync. */
  @Test
  void leaderCountsItselfOnlyWhenDurable() {
    TestCluster alone = TestCluster.of(1);
    alone.tick("n1", 1);
    alone.hold("n1");
    alone.propose("n1", "x");
    assertThat(alone.core("n1").commitIndex()).isEqualTo(1);
    assertThat(alone.node("n1").applied).hasSize(1);
    alone.release("n1");
    assertThat(alone.node("n1").applied).hasSize(2);

    TestCluster pair = TestCluster.of(2).elect("n1");
    pair.hold("n1");
    pair.propose("n1", "x");
    pair.deliver();
    assertThat(pair.core("n1").commitIndex()).isEqualTo(1);
    pair.release("n1");
    assertThat(pair.core("n1").commitIndex()).isEqualTo(2);
  }

  /**
   * The followers' syncs are enough to commit; the leader's own disk may be the slowest. But its
   * state machine waits for it: a state must not become durable before the log that it stands for.
   */
  @Test
  void majorityWithoutTheLeaderCommitsAndTheLeaderAppliesWhenItHasSynced() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.hold("n1");
    cluster.propose("n1", "x");
    cluster.deliver();
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(2);
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(1);
    assertThat(cluster.node("n1").applied).hasSize(1);
    cluster.release("n1");
    assertThat(cluster.node("n1").applied).hasSize(2);
  }

  /**
   * An entry is written, truncated while the write is under way, and comes back with the same id.
   * The report of the first write must not count for the second.
   */
  @Test
  void reportOfATruncatedWriteDoesNotCountForWhatCameInItsPlace() {
    TestCluster cluster = TestCluster.of(5);
    cluster.hold("n1");
    cluster.step(append(1, EntryId.ZERO, 0, Entry.noOp(1, 1), Entry.noOp(2, 1), Entry.noOp(3, 1)));
    cluster.step(append(2, new EntryId(1, 1), 0, Entry.noOp(2, 2)));
    cluster.step(
        append(3, new EntryId(1, 1), 0, Entry.noOp(2, 1), Entry.noOp(3, 1), Entry.noOp(4, 3)));
    assertThat(cluster.node("n1").disk.pendingCount()).isEqualTo(3);
    cluster.syncOne("n1");
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(1);
    cluster.syncOne("n1");
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(1);
    cluster.syncOne("n1");
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(4);
    Envelope last = cluster.sent.get(cluster.sent.size() - 1);
    assertThat(last.message()).isEqualTo(new Message.AppendEntriesResponse(4, 0, null, 0));
  }

  @Test
  void truncationTakesTheDurableMarkDown() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(1, null), 1, 1, 1);
    cluster.hold("n1");
    cluster.step(append(2, new EntryId(1, 1), 0, Entry.noOp(2, 2)));
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(1);
    assertThat(cluster.core("n1").status().last()).isEqualTo(new EntryId(2, 2));
    cluster.release("n1");
    assertThat(cluster.core("n1").status().durableIndex()).isEqualTo(2);
    assertThat(cluster.node("n1").disk.last()).isEqualTo(new EntryId(2, 2));
  }

  @Test
  void writesAreNumberedFromOneWithoutGaps() {
    TestNode node = new TestNode(TestCluster.config("n1"), Membership.of(List.of(N1)), () -> 0L);
    RaftCore core = node.core();
    core.tick();
    for (long sequence = 1; sequence <= 5; sequence++) {
      Ready.Write write = core.ready().write();
      assertThat(write).isNotNull();
      assertThat(write.sequence()).isEqualTo(sequence);
      node.disk.write(write);
      node.syncOne();
      core.propose(new byte[1]);
    }
    assertThatThrownBy(() -> core.durable(99)).isInstanceOf(InvariantViolation.class);
    core.durable(1);
    assertThat(core.commitIndex()).isEqualTo(5);
  }

  /** A disk that hangs must not let the answers that wait for it pile up. */
  @Test
  void messagesThatWaitForTheDiskAreBounded() {
    TestCluster cluster = TestCluster.of(3);
    cluster.hold("n1");
    for (int round = 1; round <= 3 * Outbox.HELD_MAX; round++) {
      cluster.step(new Envelope(N2, N1, 1, heartbeat(round)));
    }
    cluster.release("n1");
    assertThat(cluster.sent).hasSize(Outbox.HELD_MAX);
    var newest = (Message.AppendEntriesResponse) cluster.sent.get(Outbox.HELD_MAX - 1).message();
    assertThat(newest.round()).isEqualTo(3 * Outbox.HELD_MAX);
  }

  private static Envelope append(long term, EntryId prev, long round, Entry... entries) {
    return new Envelope(N2, N1, term, new Message.AppendEntries(prev, List.of(entries), 0, round));
  }

  private static Message takeAnswer(TestCluster cluster) {
    assertThat(cluster.sent).hasSize(1);
    return cluster.sent.remove(0).message();
  }
}
