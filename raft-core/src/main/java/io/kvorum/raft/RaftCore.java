package io.kvorum.raft;

import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.raft.RaftStatus.StepDown;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One member of a Raft group as a pure function: events go in, {@link Ready} says what to do. No
 * I/O, no clock, no thread of its own; the same events in the same order give the same results.
 *
 * <p>"The paper" is Ongaro and Ousterhout, In Search of an Understandable Consensus Algorithm
 * (extended version); "thesis" is Ongaro's.
 *
 * <p>Not thread-safe: one thread calls it. After an exception the core must not be used any more.
 */
public final class RaftCore {
  private final RaftState state;
  private final CommittedEntries committed;
  private Role role;
  private @Nullable StepDown stepDown;

  /**
   * Starts a member from what its disk holds, as a follower.
   *
   * @param hardState as last made durable
   * @param applied what the state machine has durably applied, and the members as of it; the log
   *     may still hold entries before it
   * @param log read on the thread that calls the core
   * @param random spreads the election timeouts
   * @throws InvariantViolation if log and state machine do not fit together: the log ends before
   *     {@code applied}, begins after it, or has another term there
   */
  public RaftCore(
      RaftConfig config,
      HardState hardState,
      SnapshotMeta applied,
      LogReader log,
      RandomGenerator random) {
    Configuration configuration = new Configuration(config.self(), applied);
    RaftLog raftLog = new RaftLog(log, configuration, applied.last(), config.committedBytesMax());
    state = new RaftState(config, configuration, hardState, raftLog, random);
    committed = new CommittedEntries(raftLog, applied.last().index(), config.committedBytesMax());
    state.applied(applied.last().index());
    role = new Follower(state, null);
  }

  /**
   * Tells the time, which the core has from nowhere else. Leases and the bounds of stale reads rest
   * on it; elections and heartbeats count ticks. Called before each event or read, with a time that
   * was taken when the event was already in the driver's hands: so no question can have been asked
   * after the time by which it is judged.
   *
   * @param nanos monotonic; never falls, only differences mean something
   */
  public void now(long nanos) {
    state.time.tell(nanos);
  }

  /**
   * A tick of time has passed: at least {@link RaftConfig#tickNanos} since the last one. If several
   * were missed, one call is enough.
   */
  public void tick() {
    if (!role.isQuiet()) {
      state.contact.tick();
    }
    state.disk.tick();
    become(role.tick());
  }

  /**
   * A message has arrived. It may be old, or come twice, or out of order.
   *
   * @param envelope for this node, and from another one
   */
  public void step(Envelope envelope) {
    long term = envelope.term();
    Message message = envelope.message();
    if (role.isQuiet() && !isAboutQuiet(message)) {
      role.wake();
    }
    // What was committed is so in every term, and no reason to go to another one.
    if (message instanceof Message.Removed removed) {
      onRemoved(removed);
      return;
    }
    if (message instanceof Message.RequestVote
        && role instanceof Leader leader
        && leader.refuseStranger(envelope.from())) {
      return;
    }
    if (term < state.currentTerm()) {
      answerStale(envelope);
      return;
    }
    if (term > state.currentTerm() && !isPreVote(message)) {
      // We hear a leader, so this election is not needed: its candidate lost touch or left. Only if
      // the leader asked for it we take part (§6, last paragraph; thesis §3.10).
      if (message instanceof Message.RequestVote vote && !vote.transfer() && isLoyal()) {
        return;
      }
      // A newer term exists (§5.1). Whatever we were, we follow now.
      state.enterTerm(term);
      become(new Follower(state, null));
    }
    become(role.on(envelope.from(), term, message));
  }

  private boolean isLoyal() {
    return role.hearsLeader() || state.contact.binds();
  }

  private static boolean isAboutQuiet(Message message) {
    return message instanceof Message.Quiesce || message instanceof Message.QuiesceResponse;
  }

  private void onRemoved(Message.Removed removed) {
    if (state.configuration.removed(removed.membership())) {
      become(role.onRemoved());
    }
  }

  /** These carry a term that is only asked about. */
  private static boolean isPreVote(Message message) {
    if (message instanceof Message.RequestVote request) {
      return request.preVote();
    }
    return message instanceof Message.RequestVoteResponse response
        && response.preVote()
        && response.granted();
  }

  /** The sender is behind. Whoever asks is told our term; an answer is too late to matter. */
  private void answerStale(Envelope envelope) {
    Message message = envelope.message();
    if (message instanceof Message.RequestVote request) {
      state.send(envelope.from(), new Message.RequestVoteResponse(false, request.preVote()));
    } else if (message instanceof Message.AppendEntries append) {
      state.send(
          envelope.from(),
          new Message.AppendEntriesResponse(0, append.prev().index(), EntryId.ZERO, 0));
    } else if (message instanceof Message.ReadIndex request) {
      state.send(envelope.from(), new Message.ReadIndexResponse(request.attempt(), 0));
    } else if (message instanceof Message.InstallSnapshot || message instanceof Message.Quiesce) {
      state.send(envelope.from(), new Message.AppendEntriesResponse(0, 0, EntryId.ZERO, 0));
    }
  }

  /**
   * Adds a command to the leader's log. Messages about it are made by {@link #ready}, for all
   * proposals since the last call together.
   *
   * @param payload not copied; must never be changed. May be empty
   */
  public Proposal propose(byte[] payload) {
    if (role instanceof Leader leader) {
      return leader.propose(payload);
    }
    role.seekLeader();
    return new Proposal.NotLeader(role.leader());
  }

  /** As {@link #read(long, ReadMode)} with {@link ReadMode#LINEARIZABLE}. */
  public boolean read(long readId) {
    return read(readId, ReadMode.LINEARIZABLE);
  }

  /**
   * Starts to change the membership (§6). One call is enough: if the voters change, the leader
   * first appends a joint membership, and when that is committed, by itself, the one asked for. It
   * is done when an entry of type {@link EntryType#MEMBERSHIP} at or above the accepted id is
   * committed that is not joint.
   *
   * @return {@link Proposal.Accepted} with the id of the first entry; {@link Proposal.NotLeader};
   *     or {@link Proposal.MembershipRefused}, with the reason in words for a person
   */
  public Proposal propose(MembershipChange change) {
    if (role instanceof Leader leader) {
      return leader.propose(change);
    }
    role.seekLeader();
    return new Proposal.NotLeader(role.leader());
  }

  /**
   * Asks for an index to answer a read from. If accepted, it is named exactly once, in {@link
   * Ready#reads} or {@link Ready#failedReads}.
   *
   * @param readId the caller's, unique among reads that are not answered
   * @return false when this node cannot take it: it does not lead, or, where another member can be
   *     asked, knows no leader
   */
  public boolean read(long readId, ReadMode mode) {
    // Fresh enough without asking anybody, and whoever leads.
    if (mode instanceof ReadMode.Stale stale && state.freshness.isWithin(stale.boundNanos())) {
      state.answerRead(readId, state.freshness.index());
      return true;
    }
    boolean taken = role.read(readId, mode);
    if (!taken) {
      role.seekLeader();
    }
    return taken;
  }

  /**
   * Something that only a leader can do was refused without a call of the methods above. In a quiet
   * group this node then listens for its leader again, and tells it so; one that does not speak
   * within an election timeout is replaced.
   */
  public void seekLeader() {
    role.seekLeader();
  }

  /**
   * Whether this node leads that term and nobody else can lead a later one, up to the time last
   * told. Asked again, with a new time, before the answer of a {@linkplain Ready.ReadState#isLeased
   * leased} read leaves.
   */
  public boolean leaseHolds(long term) {
    return term == state.currentTerm() && role instanceof Leader leader && leader.leaseHolds();
  }

  /**
   * Whether this node leads and has applied its own no-op. From then on its state holds all that
   * was acknowledged before, and what only a leader does may start (FAULTS F013).
   */
  public boolean servesTerm() {
    return role instanceof Leader leader && leader.servesTerm();
  }

  /**
   * Starts to hand leadership over (thesis §3.10). Until the target leads, or an election timeout
   * has passed, proposals are refused with {@link Proposal.Transferring}.
   *
   * @return false when this node does not lead, the target is not another voter, or a transfer is
   *     under way
   */
  public boolean transferLeadership(NodeId target) {
    role.seekLeader();
    return role instanceof Leader leader && leader.transfer(target);
  }

  /**
   * All writes up to this one are durable.
   *
   * @param writeSequence of a {@link Ready.Write}; an older one than reported before changes
   *     nothing
   */
  public void durable(long writeSequence) {
    if (state.durable(writeSequence)) {
      become(role.onDurable());
    }
  }

  /** The state machine has applied the named entries up to here, durably or not. */
  public void applied(long index) {
    committed.applied(index);
    state.applied(index);
    if (role instanceof Leader leader) {
      leader.onApplied();
    }
  }

  /**
   * The newest snapshot that this node can send. To be called at the start, if there is one, and
   * after each that was made or installed.
   *
   * @param snapshot with the membership as of its last entry, which need not be today's. It must
   *     not be empty: a node that does not know its group yet makes no snapshots
   */
  public void snapshot(SnapshotMeta snapshot) {
    InvariantViolation.check(!snapshot.membership().isEmpty(), "a snapshot names its members");
    InvariantViolation.check(
        snapshot.last().index() <= committed.appliedIndex(),
        "a snapshot holds only what is applied");
    state.snapshots.available(snapshot);
    if (role instanceof Leader leader) {
      leader.snapshotAvailable();
    }
  }

  /**
   * The driver is about to remove the log up to {@code last}, which a snapshot stands for. The core
   * reads nothing at or below it any more.
   *
   * @param last at most what is applied and what {@link #snapshot} has named
   */
  public void compacted(EntryId last) {
    InvariantViolation.check(
        last.index() <= committed.appliedIndex() && state.snapshots.sendable(last) != null,
        "only what is applied, and in a snapshot, is compacted");
    state.log.compacted(last);
    if (role instanceof Leader leader) {
      leader.snapshotAvailable();
    }
  }

  /**
   * All of a snapshot was sent. The driver answers each {@link Message.InstallSnapshot} in {@link
   * Ready#messages} with this or with {@link #snapshotFailed}.
   */
  public void snapshotSent(NodeId peer) {
    if (role instanceof Leader leader) {
      leader.snapshotSent(peer);
    }
  }

  /** The snapshot could not be sent. After a pause the core asks again. */
  public void snapshotFailed(NodeId peer) {
    if (role instanceof Leader leader) {
      leader.snapshotFailed(peer);
    }
  }

  /**
   * State machine and log have durably been replaced by the snapshot of {@link Ready#install}: the
   * log is empty and goes on behind it.
   */
  public void installed(SnapshotMeta snapshot) {
    state.snapshots.finished(snapshot);
    state.reset(snapshot);
    restored(snapshot.last().index());
    become(role.onInstalled());
  }

  /** The snapshot of {@link Ready#install} cannot be used; nothing was changed. */
  public void installFailed(SnapshotMeta snapshot) {
    state.snapshots.finished(snapshot);
  }

  /**
   * The state machine holds a wrong state: it applies nothing more until {@link #rebuilt} or {@link
   * #installed}. Until then this node neither leads, campaigns nor votes, and names no entries. Its
   * log is as good as any: it goes on following.
   */
  public void quarantine() {
    committed.halt();
    state.isQuarantined = true;
    role.wake();
    if (role instanceof PreCandidate || role instanceof Candidate) {
      become(new Follower(state, null));
    }
  }

  /**
   * The state machine was replaced by what stands for the entries up to {@code last}, which the log
   * holds and which are committed. It goes on behind it; the log stays.
   */
  public void rebuilt(EntryId last) {
    InvariantViolation.check(
        last.index() <= state.log.commitIndex() && state.log.contains(last),
        "what a state is rebuilt to is committed");
    restored(last.index());
  }

  private void restored(long index) {
    committed.installed(index);
    state.applied(index);
    state.isQuarantined = false;
  }

  /** Who should not lead if another voter can: replaces what was said before. */
  public void reluctant(Set<NodeId> nodes) {
    if (state.reluctance.replace(nodes) && role instanceof Leader leader) {
      leader.wake();
    }
  }

  /** Whether those who are not reluctant are enough to commit without the others. */
  public boolean sparesReluctant() {
    return state.reluctance.sparesMajority();
  }

  /** The transport has lost its connection to or from this node. A hint: nothing depends on it. */
  public void unreachable(NodeId peer) {
    become(role.onUnreachable(peer));
  }

  /** Whether {@link #ready} has something to say. */
  public boolean hasReady() {
    return state.hasOutput()
        || state.writes.isPending()
        || (committed.isPending() && !state.snapshots.isInstalling())
        || role.isFlushDue();
  }

  /** What to do since the last call. May turn out empty. */
  public Ready ready() {
    role.flush();
    return new Ready(
        state.takeMessages(),
        state.writes.take(),
        state.snapshots.isInstalling() ? List.of() : committed.take(),
        state.takeReads(),
        state.takeFailedReads(),
        state.snapshots.take(),
        state.configuration.takeChanged());
  }

  public RaftStatus status() {
    long uncommittedBytes = 0;
    SortedMap<NodeId, RaftStatus.Progress> progress = new TreeMap<>();
    if (role instanceof Leader leader) {
      uncommittedBytes = leader.uncommittedBytes();
      progress = leader.progressStatus();
    }
    return new RaftStatus(
        state.self(),
        role.name(),
        state.currentTerm(),
        role.leader(),
        state.log.last(),
        state.log.durableIndex(),
        state.log.commitIndex(),
        committed.appliedIndex(),
        state.configuration.membership(),
        state.configuration.isRemoved(),
        state.log.compacted(),
        uncommittedBytes,
        role.pendingReads(),
        role.isQuiet(),
        stepDown,
        state.isRepairing(),
        state.disk.isStalled(),
        Collections.unmodifiableSortedMap(progress));
  }

  public RoleName role() {
    return role.name();
  }

  /** The current term, durable or not. */
  public long term() {
    return state.currentTerm();
  }

  /** Whether this node leads, or has heard from the leader within the last election timeout. */
  public boolean hearsLeader() {
    return role.hearsLeader();
  }

  /** Who leads the current term, as far as this node knows. */
  public @Nullable NodeId leader() {
    return role.leader();
  }

  /**
   * Whether this node was a member, is known not to be one any more, and has nothing left to do: a
   * leader first tells the others (FAULTS F081), and what is committed is applied, so that whoever
   * waits for it gets an answer.
   */
  public boolean isRemoved() {
    return state.configuration.isRemoved()
        && !(role instanceof Leader)
        && (committed.appliedIndex() >= state.log.commitIndex() || committed.isHalted());
  }

  /** The last entry of the log, durable or not. */
  public EntryId last() {
    return state.log.last();
  }

  /** Up to here this node's log is durable. */
  public long durableIndex() {
    return state.log.durableIndex();
  }

  /** By which this node acts: the newest in its log, committed or not. */
  public Membership membership() {
    return state.configuration.membership();
  }

  /** Why this node last ceased to lead; null if it never did. */
  public @Nullable StepDown stepDown() {
    return stepDown;
  }

  public long commitIndex() {
    return state.log.commitIndex();
  }

  private void become(Role next) {
    if (next != role) {
      role.leave();
      if (role instanceof Leader leader) {
        stepDown = leader.stepDown();
      }
      role = next;
    }
  }
}
