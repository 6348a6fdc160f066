package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Orders the entries of its term and sees them copied (§5.3). Events only note what has to be sent;
 * {@link #flush} sends it, so whatever happened between two calls shares its messages.
 */
final class Leader extends Role {
  private final SortedMap<NodeId, Progress> progress = new TreeMap<>();
  private final ReadRounds rounds;
  private final LeaderLease lease;
  private final Quiescence quiescence;
  private final PreferredLeader preferred;
  private final EntrySizes uncommitted = new EntrySizes();
  private final long firstIndex;
  private final MembershipChanges changes;
  private final LeadershipTransfer transfer;
  private final Replicator replicator;
  private final ToLongFunction<NodeId> durableOn = this::durableOn;
  private final ToLongFunction<NodeId> roundOf = this::roundOf;
  private final ToLongFunction<NodeId> activity = this::activity;
  private boolean flushDue = true;
  private int ticksSinceRound;
  private RaftStatus.StepDown stepDown = RaftStatus.StepDown.HIGHER_TERM;

  Leader(RaftState state) {
    super(state);
    rounds = new ReadRounds(state);
    lease = new LeaderLease(state);
    transfer = new LeadershipTransfer(state, lease);
    quiescence = new Quiescence(state.config.quiesceTicks());
    preferred = new PreferredLeader(state);
    replicator = new Replicator(state, rounds, quiescence);
    firstIndex = state.log.lastIndex() + 1;
    changes = new MembershipChanges(state, progress, firstIndex);
    // Entries of earlier terms can be counted only below one of ours (§5.4.2), and until that is
    // committed we do not know what else is (§8).
    state.log.append(Entry.noOp(firstIndex, state.currentTerm()));
    startLeaseRound();
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

  @Override
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
    wake();
    NodeId target = transfer.target();
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
        transfer.target() == null
            ? changes.refusal(change)
            : "leadership is being handed to " + transfer.target() + "; nothing was changed";
    return why == null
        ? new Proposal.Accepted(change(changes.next(change)))
        : new Proposal.MembershipRefused(why);
  }

  /** From the moment it is in the log the membership counts, committed or not (§6). */
  private EntryId change(Membership membership) {
    Entry entry = nextEntry(EntryType.MEMBERSHIP, membership.encode());
    wake();
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

  @Override
  boolean read(long readId, ReadMode mode) {
    boolean needsNoRound = mode instanceof ReadMode.Lease || mode instanceof ReadMode.Stale;
    if (needsNoRound && leaseHolds()) {
      state.answerLeased(readId);
      return true;
    }
    wake();
    rounds.add(readId);
    flushDue = true;
    return true;
  }

  @Override
  Role onReadIndex(NodeId from, Message.ReadIndex request) {
    if (progress.containsKey(from)) {
      rounds.ask(from, request.attempt());
      flushDue = true;
    }
    return this;
  }

  /** Before our first entry is committed, our commit index may be behind (§8, FAULTS F092). */
  private boolean knowsCommit() {
    return state.log.commitIndex() >= firstIndex;
  }

  boolean leaseHolds() {
    return knowsCommit() && lease.holds();
  }

  /** Whether the state machine holds all that was committed before this term. */
  boolean servesTerm() {
    return state.appliedIndex() >= firstIndex;
  }

  /** With leases, heartbeats are rounds: their answers tell when they were sent. */
  private void startLeaseRound() {
    ticksSinceRound = 0;
    if (state.config.leaseReads()) {
      rounds.startEmpty();
      lease.sending(rounds.newest());
    }
  }

  @Override
  boolean isQuiet() {
    return quiescence.isQuiet();
  }

  /** Whether we still have a majority we shall see from now on; what was a lease has run out. */
  @Override
  void wake() {
    if (quiescence.isQuiet()) {
      progress.values().forEach(Progress::woken);
      lease.drop();
      startLeaseRound();
      flushDue = true;
    }
    quiescence.disturb();
  }

  /** Starts to hand over, unless that is under way already or the target could not lead. */
  boolean transfer(NodeId target) {
    boolean eligible = state.configuration.isVoter(target) && !target.equals(state.self());
    if (!eligible || transfer.target() != null) {
      return false;
    }
    begin(target, false);
    return true;
  }

  private void begin(NodeId target, boolean afterApply) {
    wake();
    transfer.begin(target, afterApply);
    transfer.proceed(progress);
  }

  @Override
  Role tick() {
    if (isQuiet()) {
      return this;
    }
    if (++ticksSinceRound >= state.config.heartbeatTicks()) {
      startLeaseRound();
    }
    proposeSilence();
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
      return stepDown(RaftStatus.StepDown.NO_MAJORITY);
    }
    // We can apply nothing, so nobody here gets an answer. Somebody else can do better.
    if (state.isUnfit()) {
      handOverAtOnce();
      return stepDown(
          state.isQuarantined ? RaftStatus.StepDown.QUARANTINED : RaftStatus.StepDown.DISK_STALLED);
    }
    transfer.tick();
    preferOther();
    return this;
  }

  private Role stepDown(RaftStatus.StepDown why) {
    stepDown = why;
    return new Follower(state, null);
  }

  /** Why this leader ceased to lead. Asked after it did. */
  RaftStatus.StepDown stepDown() {
    return transfer.isOrdered() && stepDown == RaftStatus.StepDown.HIGHER_TERM
        ? RaftStatus.StepDown.TRANSFERRED
        : stepDown;
  }

  /** A voter that has all we have need not wait out the silence. */
  private void handOverAtOnce() {
    for (NodeId voter : state.configuration.electorate().all()) {
      Progress p = progress.get(voter);
      if (p != null && p.isActive(state.config.electionTicks()) && hasAll(p)) {
        transfer.order(voter);
        return;
      }
    }
  }

  private boolean hasAll(Progress p) {
    return p.matchIndex() == state.log.lastIndex();
  }

  /**
   * Stands aside for a preferred leader. Nobody asked for it, so no outcome may become unknown by
   * it: the order leaves when all that was proposed here has been applied, and so answered. Reads
   * that fail by it were certainly not made.
   */
  private void preferOther() {
    boolean mayHandOver = transfer.target() == null && changes.isSettled();
    NodeId other = preferred.tick(progress, mayHandOver);
    if (other != null) {
      begin(other, true);
    }
  }

  /** The state machine has come further. */
  void onApplied() {
    transfer.proceed(progress);
  }

  private void proposeSilence() {
    boolean idle =
        transfer.target() == null
            && changes.isSettled()
            && rounds.isIdle()
            && !rounds.hasQueued()
            && state.log.commitIndex() == state.log.lastIndex()
            && state.log.durableIndex() == state.log.lastIndex();
    for (Progress p : progress.values()) {
      idle &= hasAll(p) && p.isActive(state.config.electionTicks());
    }
    if (!quiescence.tick(idle)) {
      return;
    }
    for (Map.Entry<NodeId, Progress> peer : progress.entrySet()) {
      peer.getValue().quiesceSent();
      state.send(peer.getKey(), new Message.Quiesce(state.log.last()));
    }
    ticksSinceRound = 0;
    quiescence.settle(progress.keySet());
  }

  @Override
  Role onQuiesceResponse(NodeId from, Message.QuiesceResponse response) {
    Progress p = progress.get(from);
    if (p != null && response.last().equals(state.log.last())) {
      p.heard(0);
      quiescence.agree(from, progress.keySet());
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
    transfer.order(changes.successor());
    return stepDown(RaftStatus.StepDown.REMOVED);
  }

  private InvariantViolation rival(NodeId from) {
    return new InvariantViolation(
        "one leader in a term (§5.2): " + from + " leads " + state.currentTerm() + " like us");
  }

  @Override
  Role onAppendEntries(NodeId from, Message.AppendEntries append) {
    throw rival(from);
  }

  @Override
  Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install) {
    throw rival(from);
  }

  @Override
  Role onQuiesce(NodeId from, Message.Quiesce quiesce) {
    throw rival(from);
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
    quiescence.disagree(from);
    if (!rounds.isIdle() || state.config.leaseReads()) {
      confirmReads();
    }
    EntryId hint = response.hint();
    if (hint != null) {
      replicator.retry(p, response.rejected(), hint);
    } else if (p.accepted(response.match(), state.log.compacted().index())) {
      advanceCommit();
      transfer.proceed(progress);
    }
    changes.acknowledged(from, p, response);
    flushDue |= replicator.wantsToSend(p);
    return changes.hasLeft() ? handOver() : this;
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
      flushDue = true;
    }
  }

  /** A voter without progress is this node itself: all others are fed. */
  private long durableOn(NodeId voter) {
    Progress p = progress.get(voter);
    return p == null ? state.log.durableIndex() : p.matchIndex();
  }

  /** It leaves with the next flush. */
  private void startRound() {
    rounds.start(state.log.commitIndex());
    lease.sending(rounds.newest());
    confirmReads();
  }

  private void confirmReads() {
    long round = state.configuration.electorate().reached(roundOf);
    lease.confirmed(round);
    rounds.confirmed(round);
    // A round has become free for what waits.
    flushDue |= rounds.hasQueued() && knowsCommit();
  }

  private long roundOf(NodeId voter) {
    Progress p = progress.get(voter);
    return p == null ? rounds.newest() : p.answeredRound();
  }

  @Override
  Role onUnreachable(NodeId peer) {
    wake();
    Progress p = progress.get(peer);
    if (p != null) {
      p.unreachable();
    }
    transfer.unreachable(peer);
    return this;
  }

  @Override
  void leave() {
    rounds.failAll();
  }

  @Override
  boolean isFlushDue() {
    return flushDue;
  }

  /** Sends what is due: entries as far as the windows allow, rounds of reads, heartbeats. */
  @Override
  void flush() {
    flushDue = false;
    if (rounds.hasQueued() && rounds.canStart() && knowsCommit()) {
      startRound();
    }
    replicator.replicate(progress);
  }
}
