package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The promises of the paper's figure 3, and ours about the disk and about reads, as checks. */
final class ScheduleChecks {
  private record Ballot(NodeId voter, long term) {}

  private record PendingRead(NodeId node, ReadMode mode, long commitRequired) {}

  /** What was known to be committed from a moment on. */
  private record Known(long trueNanos, long commit) {}

  private final List<TestNode> nodes;
  private final Map<Long, NodeId> leaders = new HashMap<>();
  private final Map<Ballot, NodeId> votes = new HashMap<>();
  private final Map<Long, PendingRead> reads = new HashMap<>();
  private final Map<NodeId, Integer> checkedApplied = new HashMap<>();

  /** Every entry that any state machine was given, by its index less one. */
  private final List<Entry> committed = new ArrayList<>();

  private final List<Known> history = new ArrayList<>();
  private final Map<String, Integer> answers = new HashMap<>();
  private long commitKnown;

  ScheduleChecks(List<TestNode> nodes) {
    this.nodes = nodes;
  }

  int membershipsCommitted() {
    return (int) committed.stream().filter(entry -> entry.type() == EntryType.MEMBERSHIP).count();
  }

  int termsLed() {
    return leaders.size();
  }

  int entriesCommitted() {
    return committed.size();
  }

  /** How many reads were answered, by mode; leased ones apart. */
  Map<String, Integer> answers() {
    return answers;
  }

  void afterStep(boolean thoroughly, long trueNanos) {
    long knownBefore = commitKnown;
    for (TestNode node : nodes) {
      if (!node.isDown) {
        leadsAlone(node);
        commitIsDurable(node);
        appliesTheSame(node);
      }
    }
    if (commitKnown > knownBefore) {
      history.add(new Known(trueNanos, commitKnown));
    }
    if (thoroughly) {
      logsMatch();
    }
  }

  /** Election safety, and leader completeness. */
  private void leadsAlone(TestNode node) {
    if (node.core().role() == RoleName.LEADER) {
      NodeId other = leaders.putIfAbsent(node.core().term(), node.id());
      assertThat(other).as("leaders of term %d", node.core().term()).isIn(null, node.id());
      if (other == null) {
        isComplete(node);
      }
    }
  }

  /** Whatever the memberships were meanwhile, a new leader has all that was committed. */
  private void isComplete(TestNode node) {
    assertThat(node.core().status().last().index())
        .as("end of the log of %s, which leads term %d", node.id(), node.core().term())
        .isGreaterThanOrEqualTo(commitKnown);
    // What a write under way replaces is still on the disk, but not in the log any more.
    if (!node.disk.hasPending()) {
      for (int i = 0; i < committed.size() && holds(node, i + 1); i++) {
        assertThat(termAt(node, i + 1)).isEqualTo(committed.get(i).term());
      }
    }
  }

  /**
   * What counts as committed is on the disks of a majority, all with the same term; if the
   * membership is joint, of both.
   */
  private void commitIsDurable(TestNode node) {
    long commit = node.core().commitIndex();
    if (commit <= commitKnown) {
      return;
    }
    for (long index = commitKnown + 1; index <= commit; index++) {
      assertThat(isDurable(index)).as("%d, committed by %s, is durable", index, node.id()).isTrue();
    }
    commitKnown = commit;
  }

  /** One of those who know it to be committed, the leader above all, acts by that membership. */
  private boolean isDurable(long index) {
    for (TestNode node : nodes) {
      Membership membership = node.core().status().membership();
      if (node.core().commitIndex() >= index
          && isDurable(index, membership.voters())
          && (!membership.isJoint() || isDurable(index, membership.outgoing()))) {
        return true;
      }
    }
    return false;
  }

  private boolean isDurable(long index, Set<NodeId> voters) {
    Map<Long, Integer> byTerm = new HashMap<>();
    for (TestNode other : nodes) {
      if (voters.contains(other.id()) && holds(other, index)) {
        byTerm.merge(termAt(other, index), 1, Integer::sum);
      }
    }
    return byTerm.values().stream().anyMatch(count -> 2 * count > voters.size());
  }

  private static boolean holds(TestNode node, long index) {
    return index <= node.disk.lastIndex();
  }

  private static long termAt(TestNode node, long index) {
    return index <= node.disk.compacted().index()
        ? node.applied.get((int) index - 1).term()
        : node.disk.entry(index).term();
  }

  /** State machine safety: at an index every state machine is given the same entry. */
  private void appliesTheSame(TestNode node) {
    int from = Math.min(checkedApplied.getOrDefault(node.id(), 0), node.applied.size());
    for (int i = from; i < node.applied.size(); i++) {
      Entry entry = node.applied.get(i);
      assertThat(entry.index()).isEqualTo(i + 1);
      assertThat(entry.index()).isLessThanOrEqualTo(node.core().commitIndex());
      if (i == committed.size()) {
        committed.add(entry);
      }
      assertThat(entry.id())
          .as("entry %d on %s", i + 1, node.id())
          .isEqualTo(committed.get(i).id());
      assertThat(entry.payload()).isSameAs(committed.get(i).payload());
    }
    checkedApplied.put(node.id(), node.applied.size());
  }

  /** Log matching: where two logs agree on an entry, they agree on all before it. */
  private void logsMatch() {
    for (TestNode a : nodes) {
      for (TestNode b : nodes) {
        logsMatch(a.disk, b.disk);
      }
    }
  }

  private static void logsMatch(MemoryDisk a, MemoryDisk b) {
    long first = Math.max(a.compacted().index(), b.compacted().index()) + 1;
    boolean agreeAbove = false;
    for (long index = Math.min(a.lastIndex(), b.lastIndex()); index >= first; index--) {
      boolean agree = a.entry(index).term() == b.entry(index).term();
      assertThat(agree || !agreeAbove).as("logs agree above %d but not there", index).isTrue();
      agreeAbove = agree;
    }
  }

  /** What a message promises is on the sender's disk when the message leaves. */
  void sent(TestNode node, Envelope envelope) {
    HardState disk = node.disk.hardState();
    Message message = envelope.message();
    if (message instanceof Message.RequestVote request && !request.preVote()) {
      vote(node.id(), envelope.term(), node.id(), disk);
    }
    if (message instanceof Message.RequestVoteResponse response) {
      if (response.granted() && !response.preVote()) {
        vote(node.id(), envelope.term(), envelope.to(), disk);
      }
      if (response.preVote()) {
        return;
      }
    }
    if (!(message instanceof Message.RequestVote)) {
      assertThat(disk.currentTerm())
          .as("term on the disk of %s, which sends %s", node.id(), envelope)
          .isGreaterThanOrEqualTo(envelope.term());
    }
    if (message instanceof Message.AppendEntriesResponse response
        && envelope.term() == node.core().term()) {
      assertThat(response.match())
          .as("acknowledged by %s", node.id())
          .isLessThanOrEqualTo(node.disk.lastIndex());
    }
  }

  private void vote(NodeId voter, long term, NodeId candidate, HardState disk) {
    NodeId other = votes.putIfAbsent(new Ballot(voter, term), candidate);
    assertThat(other).as("vote of %s in term %d", voter, term).isIn(null, candidate);
    if (disk.currentTerm() == term) {
      assertThat(disk.votedFor()).as("vote on the disk of %s", voter).isEqualTo(candidate);
    }
    assertThat(disk.currentTerm()).isGreaterThanOrEqualTo(term);
  }

  void readAccepted(TestNode node, long id, ReadMode mode, long trueNanos) {
    long required = commitKnown;
    if (mode instanceof ReadMode.Stale stale) {
      // The bound is by the node's own clock, and rounded up in true time.
      long bound = stale.boundNanos() / node.clockPermille * 1000 + 1000;
      required = commitAt(trueNanos - bound);
    }
    reads.put(id, new PendingRead(node.id(), mode, required));
  }

  private long commitAt(long trueNanos) {
    for (int i = history.size() - 1; i >= 0; i--) {
      if (history.get(i).trueNanos() <= trueNanos) {
        return history.get(i).commit();
      }
    }
    return 0;
  }

  /**
   * Each read ends once; an answer sees all that anybody knew to be committed when the read came,
   * or up to its bound before.
   */
  void answered(TestNode node) {
    for (Ready.ReadState read : node.reads) {
      PendingRead pending = reads.remove(read.readId());
      assertThat(pending).as("read %d, answered by %s", read.readId(), node.id()).isNotNull();
      assertThat(read.index())
          .as("index of read %d", read.readId())
          .isGreaterThanOrEqualTo(pending.commitRequired());
      String how = read.isLeased() ? "leased" : pending.mode().getClass().getSimpleName();
      answers.merge(how, 1, Integer::sum);
    }
    for (long id : node.failedReads) {
      assertThat(reads.remove(id)).as("read %d, failed by %s", id, node.id()).isNotNull();
    }
    node.reads.clear();
    node.failedReads.clear();
  }

  void crashed(TestNode node) {
    reads.values().removeIf(read -> read.node().equals(node.id()));
    checkedApplied.put(node.id(), 0);
  }

  /** FAULTS F087. */
  private static void streamsEqualMembers(RaftStatus leader) {
    Set<NodeId> others = new TreeSet<>(leader.membership().members());
    others.remove(leader.self());
    assertThat(leader.progress().keySet()).isEqualTo(others);
  }

  /** After healing: one leader, equal logs, nothing pending, every counter at zero. */
  void whole() {
    assertThat(reads).as("reads without an end").isEmpty();
    List<RaftStatus> leading = new ArrayList<>();
    for (TestNode node : nodes) {
      RaftStatus status = node.core().status();
      assertThat(status.uncommittedBytes()).isZero();
      assertThat(status.pendingReads()).isZero();
      assertThat(status.durableIndex()).isEqualTo(status.last().index());
      assertThat(node.install).isNull();
      if (status.role() == RoleName.LEADER) {
        leading.add(status);
      }
    }
    assertThat(leading).hasSize(1);
    RaftStatus leader = leading.get(0);
    streamsEqualMembers(leader);
    for (TestNode node : nodes) {
      if (leader.membership().isMember(node.id())) {
        assertThat(node.core().status().membership()).isEqualTo(leader.membership());
        assertThat(node.core().status().removed()).as("%s is a member", node.id()).isFalse();
      } else {
        assertThat(node.core().role()).as("%s is none", node.id()).isNotEqualTo(RoleName.LEADER);
      }
    }
    leader
        .progress()
        .forEach(
            (peer, progress) -> {
              assertThat(progress.state())
                  .as("%s", peer)
                  .isEqualTo(RaftStatus.Progress.State.REPLICATE);
              assertThat(progress.inflightMessages()).isZero();
              assertThat(progress.inflightBytes()).isZero();
              assertThat(progress.matchIndex()).isEqualTo(leader.last().index());
              assertThat(progress.nextIndex()).isEqualTo(leader.last().index() + 1);
            });
  }
}
