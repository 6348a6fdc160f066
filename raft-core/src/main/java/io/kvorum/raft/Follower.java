package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import org.jspecify.annotations.Nullable;

/**
 * Takes entries from the leader of its term, or waits for one (§5.2, §5.3). A learner is a follower
 * that never campaigns.
 */
final class Follower extends Role {
  private final @Nullable NodeId leader;
  private boolean leaderLost;
  private int silentTicks;
  private int timeoutTicks;

  /** Up to here our log is known to equal the leader's. It rises only, as theirs only grows. */
  private long verifiedIndex;

  private long acknowledgedIndex;
  private long answeredRound;

  /** Of reads made here, while a leader is known. */
  private final @Nullable FollowerReads reads;

  private boolean quiet;

  Follower(RaftState state, @Nullable NodeId leader) {
    super(state);
    this.leader = leader;
    reads = leader == null ? null : new FollowerReads(state, leader);
    timeoutTicks = state.drawElectionTimeout();
    // What is committed here, every later leader has (§5.4.3).
    verifiedIndex = state.log.commitIndex();
  }

  @Override
  RoleName name() {
    return state.configuration.mayCampaign() ? RoleName.FOLLOWER : RoleName.LEARNER;
  }

  @Override
  @Nullable NodeId leader() {
    return leaderLost ? null : leader;
  }

  @Override
  boolean hearsLeader() {
    return leader() != null && silentTicks < state.config.electionTicks();
  }

  @Override
  Role tick() {
    if (quiet) {
      return this;
    }
    silentTicks++;
    if (reads != null) {
      reads.tick();
    }
    if (!state.mayCampaign()) {
      return this;
    }
    // Nobody else can lead a group of one, so there is nothing to wait for; unless a leader that
    // was just removed is still handing over. Else a promise to the leader that we have lost
    // outlives our impatience.
    boolean isAlone = state.configuration.isSoleVoter() && !hearsLeader();
    int patience = timeoutTicks + state.reluctance.addedTicks();
    boolean isImpatient = silentTicks >= patience && !state.contact.binds();
    return isAlone || isImpatient ? PreCandidate.start(state) : this;
  }

  @Override
  Role onVoteGiven() {
    silentTicks = 0;
    return this;
  }

  @Override
  void onStaleCandidate() {
    timeoutTicks = Math.min(timeoutTicks, silentTicks + state.drawShortDelay());
  }

  /** The leader hands over to us: no trial run, since it stands aside (thesis §3.10). */
  @Override
  Role onTimeoutNow() {
    return state.mayCampaign() ? Candidate.start(state, true) : this;
  }

  /**
   * The connection to the leader broke, most likely because it died. Waiting out the full silence
   * would only lengthen the outage; if others still hear it, they refuse our pre-vote.
   */
  @Override
  Role onUnreachable(NodeId peer) {
    if (peer.equals(leader) && !leaderLost) {
      wake();
      leaderLost = true;
      timeoutTicks = Math.min(timeoutTicks, silentTicks + state.drawShortDelay());
    }
    return this;
  }

  /** What the leader sends instead of entries that it has no more (§7, InstallSnapshot). */
  @Override
  Role onInstallSnapshot(NodeId from, Message.InstallSnapshot install) {
    if (leader == null) {
      return new Follower(state, from).onInstallSnapshot(from, install);
    }
    heard(from);
    EntryId last = install.snapshot().last();
    // One is being installed already; if it is too old, the leader will see that.
    if (state.snapshots.isInstalling()) {
      return this;
    }
    // Step 6. Our log reaches it, so nothing has to be replaced: what it stands for is committed,
    // and what we have behind it we keep.
    if (state.log.contains(last)) {
      verifiedIndex = Math.max(verifiedIndex, last.index());
      state.log.commit(last.index());
      acknowledge(from, 0);
      return this;
    }
    // Step 7. Our log conflicts with it, or ends before.
    state.snapshots.install(install.snapshot());
    return this;
  }

  @Override
  Role onInstalled() {
    // It is committed, so the leader's log equals ours.
    verifiedIndex = Math.max(verifiedIndex, state.log.commitIndex());
    if (leader != null) {
      acknowledge(leader, 0);
    }
    return this;
  }

  /**
   * Quiet only with all that the leader has, durable and committed. That the last entries are equal
   * says that all are (§5.3, log matching), so what the leader has committed is so here.
   */
  @Override
  Role onQuiesce(NodeId from, Message.Quiesce quiesce) {
    if (leader == null) {
      return new Follower(state, from).onQuiesce(from, quiesce);
    }
    heard(from);
    RaftLog log = state.log;
    boolean alike = log.last().equals(quiesce.last()) && log.durableIndex() == log.lastIndex();
    if (!alike || pendingReads() > 0) {
      return this;
    }
    verifiedIndex = Math.max(verifiedIndex, log.lastIndex());
    log.commit(log.lastIndex());
    quiet = true;
    state.send(from, new Message.QuiesceResponse(quiesce.last()));
    return this;
  }

  @Override
  boolean isQuiet() {
    return quiet;
  }

  /** If the leader is gone, the silence is measured from now. */
  @Override
  void wake() {
    if (quiet) {
      quiet = false;
      silentTicks = 0;
    }
  }

  /**
   * A leader that lives is woken by what it knows already, and speaks: so nobody campaigns against
   * it.
   */
  @Override
  void seekLeader() {
    if (quiet && leader != null) {
      wake();
      acknowledge(leader, 0);
    }
  }

  @Override
  boolean read(long readId, ReadMode mode) {
    boolean here = mode instanceof ReadMode.AnyMember || mode instanceof ReadMode.Stale;
    if (!here || reads == null || leaderLost) {
      return false;
    }
    wake();
    reads.add(readId);
    return true;
  }

  @Override
  Role onReadIndexResponse(Message.ReadIndexResponse response) {
    if (reads != null) {
      reads.onResponse(response);
    }
    return this;
  }

  @Override
  int pendingReads() {
    return reads == null ? 0 : reads.pending();
  }

  @Override
  boolean isFlushDue() {
    return reads != null && reads.isFlushDue();
  }

  @Override
  void flush() {
    if (reads != null) {
      reads.flush();
    }
  }

  @Override
  void leave() {
    if (reads != null) {
      reads.failAll();
    }
  }

  /** The numbered steps are those of the paper, figure 2, "AppendEntries RPC, receiver". */
  @Override
  Role onAppendEntries(NodeId from, Message.AppendEntries append) {
    // Step 1, a stale term, was answered by RaftCore; so whoever sends this leads our term.
    if (leader == null) {
      return new Follower(state, from).onAppendEntries(from, append);
    }
    heard(from);

    // Step 2. We miss what precedes these entries: say from where the leader may retry. That a
    // leader is there we confirm all the same, so the round counts.
    RaftLog log = state.log;
    EntryId prev = append.prev();
    if (!log.contains(prev)) {
      long to = Math.min(prev.index(), log.lastIndex());
      EntryId hint = log.lastUpToTerm(log.commitIndex(), to, prev.term());
      answeredRound = Math.max(answeredRound, append.round());
      state.send(from, new Message.AppendEntriesResponse(0, prev.index(), hint, append.round()));
      return this;
    }

    // Our log is about to be replaced. What came into it now would be lost, though acknowledged.
    if (state.snapshots.isInstalling()) {
      answeredRound = Math.max(answeredRound, append.round());
      acknowledge(from, append.round());
      return this;
    }

    // Steps 3 and 4. Entries that conflict go, those that are new come.
    log.accept(append.entries());
    long verified = prev.index() + append.entries().size();
    verifiedIndex = Math.max(verifiedIndex, verified);

    // Step 5. Beyond what is verified, our entries may be others than those that were committed
    // (FAULTS F019).
    log.commit(Math.min(append.commit(), verifiedIndex));
    if (reads != null) {
      reads.committed();
    }

    // New entries are acknowledged when they are durable, in onDurable. A new round is not about
    // our disk: it asks whether we still follow, and reads wait for that.
    boolean entriesAreDurable = append.entries().isEmpty() || verified <= log.durableIndex();
    if (entriesAreDurable || append.round() > answeredRound) {
      answeredRound = Math.max(answeredRound, append.round());
      acknowledge(from, append.round());
    }
    return this;
  }

  /** One answer for all that a sync made durable. */
  @Override
  Role onDurable() {
    if (leader != null && match() > acknowledgedIndex) {
      acknowledge(leader, 0);
    }
    return this;
  }

  /** The leader counts this towards the majority, so it must not outrun our disk. */
  private void acknowledge(NodeId to, long round) {
    acknowledgedIndex = match();
    state.send(to, new Message.AppendEntriesResponse(acknowledgedIndex, 0, null, round));
  }

  private long match() {
    return Math.min(verifiedIndex, state.log.durableIndex());
  }

  private void heard(NodeId from) {
    InvariantViolation.check(from.equals(leader), "one leader in a term (§5.2)");
    silentTicks = 0;
    state.contact.heard();
    if (leaderLost) {
      leaderLost = false;
      timeoutTicks = state.drawElectionTimeout();
    }
  }
}
