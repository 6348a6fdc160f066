package io.kvorum.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What a member keeps whatever its role: figure 2's state, and the ways out of the core. */
final class RaftState {
  final RaftConfig config;
  final Configuration configuration;
  final RaftLog log;
  final Writes writes;
  final Snapshots snapshots = new Snapshots();
  final CoreTime time = new CoreTime();
  final Freshness freshness = new Freshness(time);
  final LeaderContact contact;
  final DiskWatch disk;
  private final Outbox outbox;
  private final RandomGenerator random;
  private long currentTerm;
  private @Nullable NodeId votedFor;
  private long lostTerm;
  private long lastAttempt;
  private boolean attemptsBegun;
  private long appliedIndex;

  /** Set by {@link RaftCore#quarantine}. */
  boolean isQuarantined;

  final Reluctance reluctance;

  private List<Ready.ReadState> reads = new ArrayList<>();
  private List<Long> failedReads = new ArrayList<>();

  RaftState(
      RaftConfig config,
      Configuration configuration,
      HardState hardState,
      RaftLog log,
      RandomGenerator random) {
    this.config = config;
    this.configuration = configuration;
    this.log = log;
    this.random = random;
    writes = new Writes(log);
    contact = new LeaderContact(config);
    disk = new DiskWatch(writes, config.diskStallTicks());
    reluctance = new Reluctance(config, configuration);
    outbox = new Outbox();
    currentTerm = hardState.currentTerm();
    votedFor = hardState.votedFor();
    lostTerm = hardState.lostTerm();
    // An entry of a term can reach the disk in the write that also carries the term, and a crash
    // may keep only the entry. Then no vote of that term has left this node, so it is free.
    if (log.last().term() > currentTerm) {
      enterTerm(log.last().term());
    }
    endRepair();
  }

  NodeId self() {
    return config.self();
  }

  long currentTerm() {
    return currentTerm;
  }

  @Nullable NodeId votedFor() {
    return votedFor;
  }

  /** The only way to a new term, and the only thing that clears a vote. */
  void enterTerm(long term) {
    InvariantViolation.check(term > currentTerm, "the term only rises");
    currentTerm = term;
    votedFor = null;
    writes.change(new HardState(term, null, lostTerm));
  }

  void vote(NodeId candidate) {
    InvariantViolation.check(
        votedFor == null || votedFor.equals(candidate), "one vote in a term (§5.2)");
    if (votedFor == null) {
      votedFor = candidate;
      writes.change(new HardState(currentTerm, candidate));
    }
  }

  /**
   * Whether the log may lack what this node has promised to keep. Then it gives no vote and does
   * not campaign: a leader that it helped to elect could lack that, too (FAULTS F034). It follows,
   * and what it acknowledges from now on counts like anybody's.
   */
  boolean isRepairing() {
    return lostTerm > 0;
  }

  /**
   * An entry of a later term than any in which something was lost was made by a leader that was
   * elected without us, and so by a majority that had kept all of it (§5.4.3). Up to that entry our
   * log equals that leader's (§5.3, log matching): nothing is lacking any more. It has to be
   * durable before we say that we have lost nothing, or a crash could lose it again.
   */
  private void endRepair() {
    if (isRepairing() && log.term(log.durableIndex()) > lostTerm) {
      lostTerm = 0;
      writes.change(new HardState(currentTerm, votedFor));
    }
  }

  /** The log was replaced by a snapshot, durably. */
  void reset(SnapshotMeta snapshot) {
    log.reset(snapshot);
    endRepair();
  }

  /** Sends in the current term, when that term is durable. */
  void send(NodeId to, Message message) {
    sendWithTerm(to, currentTerm, message);
  }

  /** For pre-votes and their grants, which carry the term that is campaigned for. */
  void sendWithTerm(NodeId to, long term, Message message) {
    outbox.add(
        new Envelope(self(), to, term, message),
        writes.hardStateSequence(),
        writes.durableSequence());
  }

  /** Whether that was news. */
  boolean durable(long sequence) {
    if (!writes.durable(sequence)) {
      return false;
    }
    outbox.durable(sequence);
    disk.progressed();
    endRepair();
    return true;
  }

  /** Ticks of silence before a campaign: drawn anew for each, so that few campaigns collide. */
  int drawElectionTimeout() {
    return config.electionTicks() + random.nextInt(config.electionTicks());
  }

  /** A wait of 1 to heartbeatTicks, for when it is known that there is no leader. */
  int drawShortDelay() {
    return 1 + random.nextInt(config.heartbeatTicks());
  }

  /**
   * Whether this node may try to lead. Not while its log is about to be replaced, and not while it
   * may not vote.
   */
  boolean mayCampaign() {
    return configuration.mayCampaign() && !snapshots.isInstalling() && !isUnfit();
  }

  /**
   * Whether it neither leads, campaigns nor votes: its disk is stalled, its state is wrong, or its
   * log may lack what it has promised.
   */
  boolean isUnfit() {
    return disk.isStalled() || isQuarantined || isRepairing();
  }

  /**
   * A number for a request for a read index. A restart in the same term must not use one again, or
   * a late answer would confirm a read that came after it: so they begin somewhere.
   */
  long nextAttempt() {
    if (!attemptsBegun) {
      attemptsBegun = true;
      lastAttempt = random.nextLong() >>> 2;
    }
    return ++lastAttempt;
  }

  /** What the state machine is known to have applied. */
  long appliedIndex() {
    return appliedIndex;
  }

  void applied(long index) {
    appliedIndex = Math.max(appliedIndex, index);
  }

  void answerRead(long readId, long index) {
    reads.add(new Ready.ReadState(readId, index));
  }

  /** The answer rests on the lease of the current term. */
  void answerLeased(long readId) {
    reads.add(new Ready.ReadState(readId, log.commitIndex(), currentTerm));
  }

  void failRead(long readId) {
    failedReads.add(readId);
  }

  boolean hasOutput() {
    return !outbox.isEmpty()
        || !reads.isEmpty()
        || !failedReads.isEmpty()
        || snapshots.isPending()
        || configuration.hasChanged();
  }

  List<Envelope> takeMessages() {
    return outbox.take();
  }

  List<Ready.ReadState> takeReads() {
    if (reads.isEmpty()) {
      return List.of();
    }
    List<Ready.ReadState> taken = reads;
    reads = new ArrayList<>();
    return taken;
  }

  List<Long> takeFailedReads() {
    if (failedReads.isEmpty()) {
      return List.of();
    }
    List<Long> taken = failedReads;
    failedReads = new ArrayList<>();
    return taken;
  }
}
