package io.kvorum.node;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.MembershipChange;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.raft.ReadMode;
import io.kvorum.raft.Ready;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Manifest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of a group: feeds the {@link RaftCore} with what happens and does what it says.
 *
 * <p>The core belongs to the loop. Whatever arrives on the loop before its turn ends is one batch:
 * a single {@link #poll} then sends messages to the followers, flushes each connection once, hands
 * the write to the log lane, and committed entries and reads to the apply lane (PERFORMANCE.md,
 * "the path of a put").
 *
 * <p>A failed write, a failed apply, a broken invariant or any {@link Error} stops the node for
 * good: it says nothing more to anybody, since it no longer knows what it may promise.
 *
 * @param <R> what an entry results in
 */
public final class RaftNode<R> {
  private static final Logger LOG = LoggerFactory.getLogger(RaftNode.class);

  private final NodePorts<R> ports;
  private final NodeId self;
  private final long tickNanos;
  private final RaftCore core;
  private final LogWriter writer;
  private final Applier<R> applier;
  private final FeatureGate gate;
  private final GroupChanges changes;
  private final @Nullable NodeSnapshots<R> snapshots;
  private final NodeSpace space;

  // Owned by the loop.
  private final NodeProposals<R> proposals;
  private final NodeReads<R> reads;
  private final RoleLog roleLog;
  private boolean pollQueued;
  private boolean transportOpen;
  private @Nullable String stopped;

  private final LaneReports<R> reports;
  private final AtomicBoolean failed = new AtomicBoolean();

  /**
   * A node that does nothing before {@link #start}.
   *
   * @throws io.kvorum.raft.InvariantViolation if log, vote and state do not fit each other
   */
  public RaftNode(NodeConfig config, NodePorts<R> ports) {
    this.ports = ports;
    this.self = config.raft().self();
    this.tickNanos = config.tick().toNanos();
    this.core =
        new RaftCore(
            config.raft(),
            ports.voteFile().load(),
            new SnapshotMeta(
                ports.stateMachine().restored(),
                config.membership(ports.stateMachine().membership())),
            ports.log(),
            ports.random());
    this.reports = new LaneReports<>(ports.loop(), this::reportDurable, this::reportApplied);
    this.writer =
        new LogWriter(
            ports.logLane(),
            ports.log(),
            ports.voteFile(),
            reports::durable,
            this::fail,
            () -> NodeSpace.relieve(ports.space()));
    this.applier =
        new Applier<>(ports.applyLane(), ports.stateMachine(), reports::applied, this::fail);
    this.roleLog = new RoleLog(self);
    this.reads = new NodeReads<>(core, ports.clock(), applier, this::read);
    this.gate =
        new FeatureGate(
            core::membership, core::term, ports.transport(), ports.stateMachine()::usedFeatures);
    this.proposals = new NodeProposals<>(core, gate, this::fail);
    this.changes = new GroupChanges(core, ports.transport(), gate, config.raft().electionTicks());
    this.space = new NodeSpace(core, config.raft(), ports, writer, this::step);
    this.snapshots =
        NodeSnapshots.of(
            new NodeSnapshots.Parts<>(core, config, ports, applier, writer, gate, this::propose),
            this::step,
            this::fail);
  }

  /**
   * Opens the transport and starts to keep time.
   *
   * @return completes when the transport listens; fails with what the transport says
   */
  public CompletableFuture<Void> start() {
    CompletableFuture<Void> started = new CompletableFuture<>();
    ports.loop().execute(() -> startOnLoop(started));
    return started;
  }

  private void startOnLoop(CompletableFuture<Void> started) {
    try {
      changes.start();
      ports.transport().start(new Inbound(core, snapshots, space, this::step));
    } catch (RuntimeException cannotListen) {
      started.completeExceptionally(cannotListen);
      return;
    }
    transportOpen = true;
    LOG.info(
        "{} starts in term {}, log to {}, applied {}",
        self,
        core.term(),
        core.status().last(),
        core.commitIndex());
    if (snapshots != null) {
      snapshots.start();
    }
    scheduleTick();
    schedulePoll();
    started.complete(null);
  }

  /**
   * Proposes a command. Called on the loop; calls of one turn of the loop become one batch.
   *
   * @param payload handed over: never changed afterwards
   */
  public void propose(byte[] payload, ProposalListener<R> listener) {
    propose(null, payload, listener);
  }

  /**
   * As {@link #propose(byte[], ProposalListener)}.
   *
   * @param needs what not every version has; if a member has not announced it, the listener hears
   *     {@link Refusal.Lacking}
   */
  public void propose(@Nullable Feature needs, byte[] payload, ProposalListener<R> listener) {
    if (stopped != null) {
      listener.refused(new Refusal.Stopped(stopped));
      return;
    }
    proposals.propose(needs, payload, listener);
    // Also after a refusal: a quiet leader may have to be woken.
    schedulePoll();
  }

  /** What not every version can, and whether the members can. Called on the loop. */
  public List<FeatureStatus> features() {
    return FeatureStatus.of(gate);
  }

  /** Makes a linearizable read on the leader; those of one turn share a round (thesis §6.4). */
  public void read(ReadListener listener) {
    read(ReadMode.LINEARIZABLE, listener);
  }

  /** Makes a read. Called on the loop; all reads of one mode and turn share their messages. */
  public void read(ReadMode mode, ReadListener listener) {
    if (stopped != null || isQuarantined()) {
      listener.refused(stopped == null ? Refusal.QUARANTINED : new Refusal.Stopped(stopped));
      return;
    }
    reads.add(mode, listener);
    schedulePoll();
  }

  /** As {@link RaftCore#seekLeader}: something was refused since this node does not lead. */
  public void seekLeader() {
    if (stopped == null) {
      guarded(core::seekLeader);
      schedulePoll();
    }
  }

  /** Hands the leadership to another voter; false when that cannot be begun. Called on the loop. */
  public boolean transferLeadership(NodeId target) {
    tellTime();
    boolean begun = stopped == null && core.transferLeadership(target);
    schedulePoll();
    return begun;
  }

  /**
   * Changes the members of the group, in one call: nodes that are new and shall vote first become
   * learners and are waited for until they have caught up; then voters change by joint consensus.
   * The listener hears of the end: the membership that is committed then; {@link Refusal.Rejected}
   * with what is wrong, and whether anything was changed; or that the outcome is unknown, since
   * this node leads no more. Called on the loop.
   */
  public void changeMembership(MembershipChange change, ProposalListener<Membership> listener) {
    if (stopped != null) {
      listener.refused(new Refusal.Stopped(stopped));
      return;
    }
    guarded(() -> changes.begin(change, listener));
    schedulePoll();
  }

  /**
   * Takes a snapshot of what is applied now, or of more. Called on the loop, on which the result
   * completes when it is durable; it fails if the snapshot could not be taken.
   */
  public CompletableFuture<Manifest> takeSnapshot() {
    if (snapshots == null || stopped != null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(stopped == null ? "this node keeps no snapshots" : stopped));
    }
    return snapshots.take();
  }

  /** Why this node, a leader, takes no command that needs space; or null. Called on the loop. */
  public @Nullable Refusal spaceRefusal() {
    return stopped != null ? null : space.refusal();
  }

  /** What is known of the space on its disk. Called on the loop. */
  public SpaceStatus spaceStatus() {
    return space.status();
  }

  /** What it does about snapshots; null if it keeps none. Called on the loop. */
  public @Nullable SnapshotStatus snapshotStatus() {
    return snapshots == null ? null : snapshots.status();
  }

  /** As in {@link #status}, at less cost; so are the next ones. Called on the loop. */
  public RoleName role() {
    return core.role();
  }

  public long term() {
    return core.term();
  }

  public EntryId last() {
    return core.last();
  }

  public long durableIndex() {
    return core.durableIndex();
  }

  public long commitIndex() {
    return core.commitIndex();
  }

  public Membership membership() {
    return core.membership();
  }

  /** What the node knows of its group now. Called on the loop. */
  public RaftStatus status() {
    return core.status();
  }

  /** Whether it leads or hears somebody who does, and its state may be told. On the loop. */
  public boolean hearsLeader() {
    return core.hearsLeader() && !isQuarantined();
  }

  /** Whether its state is that of the others. Called on the loop. */
  public StateStatus stateStatus() {
    return snapshots == null ? StateStatus.NONE : snapshots.stateStatus();
  }

  /** Whether nothing of its state may be told. Called on the loop. */
  public boolean isQuarantined() {
    return snapshots != null && snapshots.isQuarantined();
  }

  /** Whether it leads and by its clock nobody else can by now. Called on the loop. */
  public boolean holdsLease() {
    tellTime();
    return core.leaseHolds(core.term()) && !isQuarantined();
  }

  /** Whether it has stopped, by itself or because it was told to. Called on the loop. */
  public boolean isStopped() {
    return stopped != null;
  }

  /** Proposals that wait for their entries, for metrics and tests. Called on the loop. */
  public int pendingProposals() {
    return proposals.size();
  }

  /** How many batches of entries the log lane has synced. Any thread. */
  public long syncedBatches() {
    return writer.batches();
  }

  /**
   * Stops for good: closes the transport, answers whoever waits, then closes the state machine and
   * the log on their lanes.
   *
   * @return completes when all is closed
   */
  public CompletableFuture<Void> stop() {
    ports.loop().execute(() -> stopOnLoop("the node is closing"));
    return new Closing(ports, failed::get).begin();
  }

  private void schedulePoll() {
    if (!pollQueued) {
      pollQueued = true;
      ports.loop().execute(this::poll);
    }
  }

  private void scheduleTick() {
    ports.loop().schedule(this::tick, tickNanos);
  }

  /** However long the process slept, one tick has passed: a pause is no election (DESIGN §8). */
  private void tick() {
    if (stopped != null) {
      return;
    }
    scheduleTick();
    step(
        () -> {
          core.tick();
          writer.tick(tickNanos);
          changes.tick(peer -> snapshots == null ? null : snapshots.fetches(peer));
          space.tick();
          if (snapshots != null) {
            snapshots.tick();
          }
        });
  }

  /** Ends a turn of the loop: asks the core what is to be done, and does it. */
  private void poll() {
    pollQueued = false;
    if (stopped == null) {
      guarded(this::pollCore);
    }
  }

  /** Whatever the core is to judge has arrived by now: see {@link RaftCore#now}. */
  private void tellTime() {
    core.now(ports.clock().nanoTime());
  }

  private void pollCore() {
    reads.register();
    tellTime();
    while (core.hasReady()) {
      Ready ready = core.ready();
      for (Envelope envelope : ready.messages()) {
        if (snapshots == null || !snapshots.sends(envelope)) {
          ports.transport().send(envelope);
        }
      }
      // The followers write while we do (thesis §10.2.1): so they get it first.
      ports.transport().flush();
      Ready.Write write = ready.write();
      if (write != null) {
        writer.submit(write);
      }
      if (!ready.committed().isEmpty()) {
        applier.submit(ready.committed());
      }
      reads.handOver(ready);
      changes.handOver(ready);
      if (ready.install() != null) {
        install(ready.install());
      }
    }
    if (roleLog.changed(core.role(), core.term(), core.leader(), core.stepDown())
        && !roleLog.leads()) {
      proposals.abandon("this node lost the leadership before the entry was committed");
      changes.abandon("this node lost the leadership while the membership changed");
    }
    if (core.isRemoved()) {
      throw new RemovedException(self);
    }
  }

  private void install(SnapshotMeta snapshot) {
    if (snapshots == null) {
      core.installFailed(snapshot);
    } else {
      snapshots.install(snapshot);
    }
  }

  private void reportDurable() {
    long sequence = reports.takeDurable();
    if (stopped == null) {
      guarded(() -> core.durable(sequence));
      schedulePoll();
    }
  }

  private void reportApplied() {
    reports.takeApplied();
    Applier.Applied<R> batch;
    while ((batch = reports.nextApplied()) != null) {
      List<Entry> entries = batch.entries();
      for (int i = 0; i < entries.size(); i++) {
        Entry entry = entries.get(i);
        proposals.applied(entry.index(), entry.term(), batch.results().get(i));
      }
      batch.answers().forEach(Runnable::run);
      StateFinding finding = batch.finding();
      if (stopped == null && (finding != null || !entries.isEmpty())) {
        guarded(() -> entriesApplied(entries, finding));
        schedulePoll();
      }
    }
  }

  private void entriesApplied(List<Entry> entries, @Nullable StateFinding finding) {
    if (!entries.isEmpty()) {
      core.applied(entries.get(entries.size() - 1).index());
    }
    if (snapshots != null) {
      snapshots.applied(entries, finding);
    } else if (finding != null) {
      throw new IllegalStateException("it has no snapshots to be rebuilt from, and " + finding);
    }
  }

  /** Something happened that the core may have to be told. On the loop. */
  private void step(Runnable event) {
    if (stopped == null) {
      guarded(
          () -> {
            tellTime();
            event.run();
          });
      schedulePoll();
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable bug) {
      // The core is in a state that its own rules forbid: whatever it said next could be wrong.
      fail(bug);
    }
  }

  /** What it stands on has failed: it stops, unless that came of a stop. Called on the loop. */
  public void failUnlessStopped(Throwable failure) {
    if (stopped == null) {
      fail(failure);
    }
  }

  /** On any lane: the node can no longer keep its promises. */
  private void fail(Throwable failure) {
    if (failed.compareAndSet(false, true)) {
      roleLog.failed(failure);
      writer.stop();
      ports.loop().execute(() -> stopOnLoop("the node has failed: " + failure.getMessage()));
      ports.failed().accept(failure);
    }
  }

  private void stopOnLoop(String why) {
    if (stopped != null) {
      return;
    }
    stopped = why;
    writer.stop();
    applier.stop();
    if (transportOpen) {
      ports.transport().close();
    }
    Refusal refusal = new Refusal.Stopped(why);
    reads.refuseAll(refusal);
    proposals.abandon(why);
    changes.abandon(why);
    if (snapshots != null) {
      snapshots.stop(why);
    }
    applier.abandonReads(left -> ports.loop().execute(() -> NodeReads.refuse(left, refusal)));
  }
}
