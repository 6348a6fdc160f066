package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The paper's §5.3. */
class LogReplicationTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");

  @Test
  void everyNodeAppliesTheSameEntriesInOrder() {
    TestCluster cluster = TestCluster.of(5).elect("n3");
    List<Proposal> proposals = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      proposals.add(cluster.core("n3").propose(new byte[] {(byte) i}));
    }
    cluster.tickAll(4);
    assertThat(proposals.get(999)).isEqualTo(new Proposal.Accepted(new EntryId(1001, 1)));
    for (TestNode node : cluster.all()) {
      assertThat(node.applied).isEqualTo(cluster.node("n3").applied).hasSize(1001);
    }
  }

  /** Proposals of one turn share their messages. */
  @Test
  void proposalsAreBatched() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.sent.clear();
    for (int i = 0; i < 64; i++) {
      cluster.core("n1").propose(new byte[0]);
    }
    cluster.run(cluster.node("n1"));
    assertThat(cluster.sent).hasSize(2);
    var first = (Message.AppendEntries) cluster.sent.get(0).message();
    var second = (Message.AppendEntries) cluster.sent.get(1).message();
    assertThat(first.entries()).hasSize(64).isSameAs(second.entries());
    cluster.deliver();
    assertThat(cluster.sent).hasSize(4);
  }

  /** FAULTS F015: whatever the lengths, the rounds are bounded by the terms in the two suffixes. */
  @Test
  void conflictIsResolvedInAsManyRoundsAsThereAreTerms() {
    for (int length : new int[] {1, 50, 51, 10_000}) {
      assertThat(rejections(suffix(length, 2), suffix(length, 3))).isLessThanOrEqualTo(2);
      assertThat(rejections(suffix(length, 3), suffix(length, 2))).isLessThanOrEqualTo(2);
    }
    long[] odd = LongStream.rangeClosed(1, 40).map(i -> 2 * i + 1).toArray();
    long[] even = LongStream.rangeClosed(1, 40).map(i -> 2 * i).toArray();
    assertThat(rejections(odd, even)).isLessThanOrEqualTo(41);
  }

  private static long[] suffix(int length, long term) {
    return LongStream.generate(() -> term).limit(length).toArray();
  }

  /** How often n2 rejects until its log equals n1's; both begin with the same ten entries. */
  private static long rejections(long[] mine, long[] theirs) {
    TestCluster cluster = TestCluster.of(3);
    HardState later = new HardState(1000, null);
    cluster.preset("n1", later, LongStream.concat(ones(), LongStream.of(mine)).toArray());
    cluster.preset("n2", later, LongStream.concat(ones(), LongStream.of(theirs)).toArray());
    cluster.preset("n3", later);
    String winner = mine[mine.length - 1] >= theirs[theirs.length - 1] ? "n1" : "n2";
    cluster.elect(winner);
    cluster.tickAll(400);
    List<EntryId> ids = cluster.node("n1").applied.stream().map(Entry::id).toList();
    assertThat(cluster.node("n2").applied.stream().map(Entry::id).toList()).isEqualTo(ids);
    assertThat(ids).hasSizeGreaterThan(10);
    String loser = winner.equals("n1") ? "n2" : "n1";
    long previous = Long.MAX_VALUE;
    long count = 0;
    for (Envelope envelope : cluster.sent) {
      if (envelope.from().name().equals(loser)
          && envelope.message() instanceof Message.AppendEntriesResponse answer
          && answer.hint() != null) {
        assertThat(answer.rejected()).as("strictly decreasing").isLessThan(previous);
        previous = answer.rejected();
        count++;
      }
    }
    return count;
  }

  private static LongStream ones() {
    return LongStream.generate(() -> 1).limit(10);
  }

  /** FAULTS F019. */
  @Test
  void followerCommitsNothingThatWasNotVerified() {
    TestCluster cluster = TestCluster.of(3);
    cluster.preset("n1", new HardState(3, null), 1, 1, 1, 1, 1, 2, 2, 2, 2);
    Message heartbeat = new Message.AppendEntries(new EntryId(5, 1), List.of(), 9, 0);
    cluster.step(new Envelope(N2, N1, 3, heartbeat));
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(5);
    assertThat(cluster.node("n1").applied).hasSize(5);

    Message older = new Message.AppendEntries(new EntryId(3, 1), List.of(), 2, 0);
    cluster.step(new Envelope(N2, N1, 3, older));
    assertThat(cluster.core("n1").commitIndex()).as("never moves back").isEqualTo(5);
  }

  /** FAULTS F027. */
  @Test
  void emptyFollowerRejectsAGappedFirstAppend() {
    TestCluster cluster = TestCluster.of(3);
    Message append = new Message.AppendEntries(new EntryId(7, 1), List.of(Entry.noOp(8, 1)), 8, 0);
    cluster.step(new Envelope(N2, N1, 1, append));
    assertThat(cluster.sent.get(0).message())
        .isEqualTo(new Message.AppendEntriesResponse(0, 7, EntryId.ZERO, 0));
    assertThat(cluster.core("n1").status().last()).isEqualTo(EntryId.ZERO);
    assertThat(cluster.core("n1").commitIndex()).isZero();
  }

  /**
   * Step 3 of the receiver: only a conflict removes entries, since the message may be an old one.
   */
  @Test
  void oldShortAppendDoesNotTruncate() {
    TestCluster cluster = TestCluster.of(3);
    List<Entry> entries = List.of(Entry.noOp(1, 1), Entry.noOp(2, 1), Entry.noOp(3, 1));
    cluster.step(append(EntryId.ZERO, entries));
    cluster.step(append(EntryId.ZERO, entries.subList(0, 1)));
    assertThat(cluster.core("n1").status().last()).isEqualTo(new EntryId(3, 1));
    assertThat(cluster.sent.get(1).message())
        .isEqualTo(new Message.AppendEntriesResponse(3, 0, null, 0));
  }

  @Test
  void staleRejectionsAndAcknowledgementsChangeNothing() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    for (int i = 0; i < 10; i++) {
      cluster.propose("n1", "x");
    }
    cluster.deliver();
    RaftStatus.Progress before = cluster.core("n1").status().progress().get(N2);
    List<Message> old =
        List.of(
            new Message.AppendEntriesResponse(0, 5, new EntryId(2, 1), 0),
            new Message.AppendEntriesResponse(0, 11, new EntryId(2, 1), 0),
            new Message.AppendEntriesResponse(4, 0, null, 0));
    for (Message message : old) {
      cluster.step(new Envelope(N2, N1, 1, message));
    }
    assertThat(cluster.core("n1").status().progress()).containsEntry(N2, before);
  }

  @Test
  void answersOfStrangersDoNotCount() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.isolate("n1");
    cluster.propose("n1", "x");
    Message answer = new Message.AppendEntriesResponse(2, 0, null, 0);
    cluster.step(new Envelope(new NodeId("n9"), N1, 1, answer));
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(1);
    cluster.step(new Envelope(N2, N1, 1, answer));
    assertThat(cluster.core("n1").commitIndex()).isEqualTo(2);
  }

  /** With order kept and nothing else going on, one lost message costs one more exchange. */
  @Test
  void lostAppendIsSentAgainWithinAHeartbeat() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.propose("n1", "x");
    cluster.dropAll();
    cluster.tickAll(4);
    for (TestNode node : cluster.all()) {
      assertThat(node.core().commitIndex()).isEqualTo(2);
    }
  }

  @Test
  void emptyPayloadIsLegal() {
    TestCluster cluster = TestCluster.of(3).elect("n1");
    cluster.propose("n1", "");
    cluster.tickAll(2);
    assertThat(cluster.node("n2").lastApplied()).isNotNull();
    assertThat(cluster.node("n2").lastApplied().payload()).isEmpty();
    assertThat(cluster.core("n1").status().uncommittedBytes()).isZero();
  }

  @Test
  void entryOfANewerVersionStopsTheNode() {
    TestCluster cluster = TestCluster.of(3);
    Entry entry = new Entry(1, 1, EntryType.MEMBERSHIP, new byte[] {2, 0});
    assertThatThrownBy(() -> cluster.step(append(EntryId.ZERO, List.of(entry))))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("version 2, this node knows 1");
  }

  private static Envelope append(EntryId prev, List<Entry> entries) {
    return new Envelope(N2, N1, 1, new Message.AppendEntries(prev, entries, 0, 0));
  }
}
