package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Orders the entries of its term and sees them copied (§5.3). Events only note what has to be sent;
 * {@link #flush} sends it, so whatever happened between two calls shares its messages.
 */
final class Leader extends Role {
  private final SortedMap<NodeId, Progress> progress = new TreeMap<>();
  private final ReadRounds rounds;
  private final EntrySizes uncommitted = new EntrySizes();
  private final long firstIndex;
  private final MembershipChanges changes;
  private final ToLongFunction<NodeId> durableOn = this::durableOn;
  private final ToLongFunction<NodeId> roundOf = this::roundOf;
  private final ToLongFunction<NodeId> activity = this::activity;
  private boolean flushDue = true;
  private @Nullable NodeId transferTarget;
  private int transferTicks;
  private boolean timeoutNowSent;

  /** The entries of the last AppendEntries: followers at the same point share one list. */
  private List<Entry> batch = List.of();

  Leader(RaftState state) {
    super(state);
    rounds = new ReadRounds(state);
    firstIndex = state.log.lastIndex() + 1;
    changes = new MembershipChanges(state, progress, firstIndex);
    // Entries of earlier terms can be counted only below one of ours (§5.4.2), and until that is
    // committed we do not know what else is (§8).
    state.log.append(Entry.noOp(firstIndex, state.currentTerm()));
  }

  @Override
  RoleName name() {
    return RoleName.LEADER;
  }

  @Override
  NodeId leader() {
    return state.self();
  }

  @Override
  boolean hearsLeader() {
    return true;
  }

  int pendingReads() {
    return rounds.pending();
  }

  long uncommittedBytes() {
    return uncommitted.bytes();
  }

  SortedMap<NodeId, RaftStatus.Progress> progressStatus() {
    SortedMap<NodeId, RaftStatus.Progress> status = new TreeMap<>();
    progress.forEach((peer, p) -> status.put(peer, p.status(state.config.electionTicks())));
    return status;
  }

  Proposal propose(byte[] payload) {
    NodeId target = transferTarget;
    if (target != null) {
      return new Proposal.Transferring(target);
    }
    if (changes.isLeaving()) {
      return new Proposal.Transferring(changes.successor());
    }
    Entry entry = nextEntry(EntryType.COMMAND, payload);
    // An entry over the limit still goes alone, so the limit can never shut us up for good.
    long bytes = uncommitted.bytes();
    if (bytes > 0 && bytes + entry.sizeBytes() > state.config.uncommittedBytesMax()) {
      return new Proposal.Overloaded(bytes);
    }
    append(entry);
    return new Proposal.Accepted(entry.id());
  }

  private Entry nextEntry(EntryType type, byte[] payload) {
    return new Entry(state.log.lastIndex() + 1, state.currentTerm(), type, payload);
  }

  private void append(Entry entry) {
    state.log.append(entry);
    uncommitted.add(entry);
    flushDue = true;
  }

  Proposal propose(MembershipChange change) {
    String why =
        transferTarget == null
            ? changes.refusal(change)
            : "leadership is being handed to " + transferTarget + "; nothing was changed";
    return why == null
        ? new Proposal.Accepted(change(changes.next(change)))
        : new Proposal.MembershipRefused(why);
  }

  /** From the moment it is in the log the membership counts, committed or not (§6). */
  private EntryId change(Membership membership) {
    Entry entry = nextEntry(EntryType.MEMBERSHIP, membership.encode());
    append(entry);
    changes.reconcile(entry.index());
    // Other voters may have enough of what is pending (FAULTS F090).
    advanceCommit();
    return entry.id();
  }

  /** Tells a server that was removed and missed it, and so asks for votes (FAULTS F083). */
  boolean refuseStranger(NodeId from) {
    if (!changes.isStranger(from)) {
      return false;
    }
    state.send(from, new Message.Removed(state.configuration.id()));
    return true;
  }

  void snapshotAvailable() {
    flushDue = true;
  }

  void snapshotSent(NodeId peer) {
    Progress p = progress.get(peer);
    if (p != null) {
      p.transfer().sent();
    }
  }

  void snapshotFailed(NodeId peer) {
    Progress p = progress.get(peer);
    if (p != null) {
      p.transfer().failed();
    }
  }

  void read(long readId) {
    rounds.add(readId);
    flushDue = true;
  }

  /** Thesis §3.10: no new entries, let the target catch up, then have it call an election. */
  boolean transfer(NodeId target) {
    boolean eligible = state.configuration.isVoter(target) && !target.equals(state.self());
    if (!eligible || transferTarget != null) {
      return false;
    }
    transferTarget = target;
    transferTicks = 0;
    timeoutNowSent = false;
    continueTransfer();
    return true;
  }

  private void continueTransfer() {
    NodeId target = transferTarget;
    if (target == null || timeoutNowSent) {
      return;
    }
    Progress p = progress.get(target);
    if (p != null && p.matchIndex() == state.log.lastIndex()) {
      timeoutNowSent = true;
      state.send(target, new Message.TimeoutNow());
    }
  }

  @Override
  Role tick() {
    for (Progress p : progress.values()) {
      p.tick(state.config.heartbeatTicks(), state.log.commitIndex());
      flushDue |= p.wantsMessage(rounds.newest());
    }
    changes.tick();
    if (changes.hasLeft()) {
      return handOver();
    }
    // Without a majority we cannot know whether we still lead, and cannot do anything useful if we
    // do (thesis §6.2, FAULTS F007).
    if (!hearsMajority()) {
      return new Follower(state, null);
    }
    // The target did not make it in the time of an election: go on leading.
    if (transferTarget != null && ++transferTicks >= state.config.electionTicks()) {
      transferTarget = null;
    }
    return this;
  }

  private boolean hearsMajority() {
    return state.configuration.electorate().reached(activity) > 0;
  }

  private long activity(NodeId voter) {
    Progress p = progress.get(voter);
    boolean isActive = p == null || p.isActive(state.config.electionTicks());
    return isActive ? 1 : 0;
  }

  /** We were removed, and those who stay know it: one of them should lead at once. */
  private Role handOver() {
    state.send(changes.successor(), new Message.TimeoutNow());
    return new Follower(state, null);
  }

  @Override
  Role onAppendEntries(NodeId from, Message.AppendEntries append) {
    throw new InvariantViolation(
        "one leader in a term (§5.2): " + from + " leads " + state.currentTerm() + " like us");
  }

  @Override
  Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install) {
    throw new InvariantViolation(
        "one leader in a term (§5.2): " + from + " leads " + state.currentTerm() + " like us");
  }

  @Override
  Role onVoteGiven() {
    throw new InvariantViolation("a leader has voted for itself");
  }

  @Override
  Role onAppendEntriesResponse(NodeId from, Message.AppendEntriesResponse response) {
    Progress p = progress.get(from);
    if (p == null) {
      return this;
    }
    InvariantViolation.check(
        response.match() <= state.log.lastIndex() && response.round() <= rounds.newest(),
        "a follower answers only what its leader said");
    p.heard(response.round());
    if (!rounds.isIdle()) {
      confirmReads();
    }
    EntryId hint = response.hint();
    if (hint != null) {
      retry(p, response.rejected(), hint);
    } else if (p.accepted(response.match(), state.log.compacted().index())) {
      advanceCommit();
      if (from.equals(transferTarget)) {
        continueTransfer();
      }
    }
    changes.acknowledged(from, p, response);
    flushDue |= p.wantsEntries(state.log.lastIndex()) || wantsSnapshot(p);
    return changes.hasLeft() ? handOver() : this;
  }

  /**
   * Its log does not meet ours at {@code rejected}. It has nothing above the hint that could match;
   * of ours, entries of a later term than the hint's cannot match at or below it. So each rejection
   * skips at least a whole term of one of the logs (§5.3, last but one paragraph).
   */
  private void retry(Progress p, long rejected, EntryId hint) {
    if (!p.isRejection(rejected)) {
      return;
    }
    long from = Math.max(p.matchIndex(), state.log.compacted().index());
    EntryId meeting = state.log.lastUpToTerm(from, hint.index(), hint.term());
    p.probe(Math.min(rejected, meeting.index() + 1));
  }

  @Override
  Role onDurable() {
    advanceCommit();
    return this;
  }

  /**
   * An entry is committed when a majority has it durable (§5.3), ourselves counted like the others
   * if we are a voter, and it is of our term: an older one on a majority may still be overwritten
   * (§5.4.2, figure 8).
   */
  private void advanceCommit() {
    RaftLog log = state.log;
    long reached = state.configuration.electorate().reached(durableOn);
    if (reached <= log.commitIndex() || log.term(reached) != state.currentTerm()) {
      return;
    }
    log.commit(reached);
    uncommitted.removeTo(reached);
    flushDue |= rounds.hasQueued();
    if (changes.isLeaveDue()) {
      change(state.configuration.membership().left());
    } else if (changes.isFarewellDue()) {
      startRound();
      changes.beginFarewell(rounds.newest());
    }
  }

  /** A voter without progress is this node itself: all others are fed. */
  private long durableOn(NodeId voter) {
    Progress p = progress.get(voter);
    return p == null ? state.log.durableIndex() : p.matchIndex();
  }

  private void startRound() {
    rounds.start(state.log.commitIndex());
    flushDue = true;
    confirmReads();
  }

  private void confirmReads() {
    rounds.confirmed(state.configuration.electorate().reached(roundOf));
  }

  private long roundOf(NodeId voter) {
    Progress p = progress.get(voter);
    return p == null ? rounds.newest() : p.answeredRound();
  }

  /** A transfer to a node that is gone would only block us. */
  @Override
  Role onUnreachable(NodeId peer) {
    Progress p = progress.get(peer);
    if (p != null) {
      p.unreachable();
    }
    if (peer.equals(transferTarget)) {
      transferTarget = null;
    }
    return this;
  }

  @Override
  void leave() {
    rounds.failAll();
  }

  boolean isFlushDue() {
    return flushDue;
  }

  /** Sends what is due: entries as far as the windows allow, rounds of reads, heartbeats. */
  void flush() {
    flushDue = false;
    // Before our first entry is committed, our commit index may be behind (§8, FAULTS F092).
    if (rounds.hasQueued() && state.log.commitIndex() >= firstIndex) {
      rounds.start(state.log.commitIndex());
      confirmReads();
    }
    for (Map.Entry<NodeId, Progress> peer : progress.entrySet()) {
      replicate(peer.getKey(), peer.getValue());
    }
    batch = List.of();
  }

  private void replicate(NodeId peer, Progress p) {
    EntryId compacted = state.log.compacted();
    boolean behindLog = p.nextIndex() <= compacted.index();
    if (behindLog && p.state() != RaftStatus.Progress.State.SNAPSHOT) {
      p.awaitSnapshot(compacted.index());
    }
    SnapshotMeta snapshot = wantsSnapshot(p) ? state.snapshots.sendable(compacted) : null;
    if (snapshot != null) {
      p.transfer().started(snapshot.last().index());
      state.send(peer, new Message.InstallSnapshot(snapshot));
    }
    while (p.wantsEntries(state.log.lastIndex())) {
      send(peer, p, state.log.id(p.nextIndex() - 1), nextEntries(p.nextIndex()));
    }
    if (p.wantsMessage(rounds.newest())) {
      // While a snapshot is awaited, our logs need not meet anywhere but before the first entry.
      boolean awaits = p.state() == RaftStatus.Progress.State.SNAPSHOT;
      send(peer, p, awaits ? EntryId.ZERO : state.log.id(p.nextIndex() - 1), List.of());
    }
  }

  private boolean wantsSnapshot(Progress p) {
    return p.wantsSnapshot(state.config.electionTicks());
  }

  private List<Entry> nextEntries(long from) {
    if (batch.isEmpty() || batch.get(0).index() != from) {
      long to = Math.min(state.log.lastIndex() + 1, from + state.config.appendEntriesMax());
      batch = state.log.entries(from, to, state.config.appendBytesMax());
    }
    return batch;
  }

  private void send(NodeId peer, Progress p, EntryId prev, List<Entry> entries) {
    var append = new Message.AppendEntries(prev, entries, state.log.commitIndex(), rounds.newest());
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      bytes += entries.get(i).sizeBytes();
    }
    p.sent(append, bytes);
    state.send(peer, append);
  }
}
