package io.kvorum.node;

import io.kvorum.log.LogStore;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a node does about snapshots: {@link SnapshotTaker takes} them, {@link SnapshotSender
 * sends}, {@link SnapshotReceiver receives} and {@link SnapshotInstall installs} them, and {@link
 * LogCompaction cuts the log} behind them; and, by them, about a state that is wrong: {@link
 * StateComparison} finds it, {@link Quarantine} has it replaced. Used on the loop.
 *
 * <p>Only a snapshot that this process has read through counts: published ones were, when they were
 * taken or had arrived; what a start finds is read through before it is offered to anybody, and
 * before anything is cut behind it (FAULTS F067).
 */
final class NodeSnapshots<R> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeSnapshots.class);

  /** After so many election timeouts without a request, somebody is no receiver any more. */
  private static final int SENDER_PATIENCE = 20;

  /** After so many, a member says again what its state sums up to, and a dispute is an alarm. */
  private static final int COMPARISON_PATIENCE = 4;

  private final RaftCore core;
  private final SnapshotConfig config;
  private final SnapshotLane lane;
  private final SnapshotStore store;
  private final SnapshotTaker<R> taker;
  private final SnapshotSender sender;
  private final SnapshotReceiver receiver;
  private final SnapshotInstall<R> install;
  private final StateChecks checks;
  private final StateComparison<R> comparison;
  private final Quarantine<R> quarantine;
  private final LogCompaction compaction;
  private final @Nullable LogArchiver archiver;
  private final LogStore log;
  private final Transport transport;
  private final int compactionTicks;

  /** By name: those that were read through. */
  private final Set<String> sound = new HashSet<>();

  /** The newest of them, which the core may not know yet. */
  private @Nullable SnapshotMeta newest;

  /** Up to here the core knows it. */
  private long toldIndex;

  private int ticks;

  /** What the parts share. */
  record Parts<R>(
      RaftCore core,
      NodeConfig config,
      NodePorts<R> ports,
      Applier<R> applier,
      LogWriter writer,
      FeatureGate gate,
      StateComparison.Proposer<R> proposer) {}

  /** Null if the ports have no place for them. */
  static <R> @Nullable NodeSnapshots<R> of(
      Parts<R> parts, Consumer<Runnable> step, Consumer<Throwable> fail) {
    SnapshotPorts ports = parts.ports().snapshots();
    return ports == null ? null : new NodeSnapshots<>(parts, ports, step, fail);
  }

  /**
   * The snapshots of a node.
   *
   * @param step runs on the loop what may change the core, unless the node has stopped
   * @param fail stops the node; on any lane
   */
  private NodeSnapshots(
      Parts<R> parts, SnapshotPorts snapshots, Consumer<Runnable> step, Consumer<Throwable> fail) {
    NodePorts<R> ports = parts.ports();
    int electionTicks = parts.config().raft().electionTicks();
    core = parts.core();
    config = parts.config().snapshots();
    store = snapshots.store();
    transport = ports.transport();
    lane = new SnapshotLane(snapshots.lane(), ports.loop(), step, fail);
    log = ports.log();
    compactionTicks = electionTicks;
    EntryId restored = ports.stateMachine().restored();
    taker =
        new SnapshotTaker<>(
            config,
            parts.config().membership(),
            parts.applier(),
            lane,
            store,
            ports.clock(),
            restored,
            LogCompaction.bytesBehind(ports.log(), store.newest()),
            this::taken);
    sender =
        new SnapshotSender(
            core,
            lane,
            store,
            ports.transport(),
            ports.clock(),
            config.sendBytesPerSecond(),
            SENDER_PATIENCE * electionTicks);
    receiver =
        new SnapshotReceiver(
            lane, store, ports.transport(), new Arriving(), config.chunkBytes(), electionTicks);
    checks = ports.stateMachine().checks();
    comparison = comparison(parts, electionTicks);
    quarantine = quarantine(parts, snapshots, electionTicks);
    install =
        new SnapshotInstall<>(
            core, lane, snapshots, parts.applier(), parts.writer(), fail, quarantine::close);
    compaction = new LogCompaction(config, core, ports.log(), parts.writer());
    SnapshotPorts.Archiving archiving = snapshots.archive();
    archiver =
        archiving == null
            ? null
            : new LogArchiver(
                log,
                archiving.archive(),
                lane,
                ports.clock(),
                archiving.interval(),
                restored.index());
  }

  private static <R> StateComparison<R> comparison(Parts<R> parts, int electionTicks) {
    return new StateComparison<>(
        parts.config().raft().self(),
        parts.core(),
        parts.ports().stateMachine().checks(),
        parts.ports().transport(),
        parts.proposer(),
        parts.gate(),
        COMPARISON_PATIENCE * electionTicks);
  }

  private Quarantine<R> quarantine(Parts<R> parts, SnapshotPorts snapshots, int electionTicks) {
    return new Quarantine<>(
        new Quarantine.Parts<>(
            parts.config().raft().self(),
            core,
            parts.applier(),
            checks,
            lane,
            store,
            snapshots.quarantine(),
            transport,
            electionTicks),
        parts.ports().stateMachine().restored().index());
  }

  /** Reads through what is there. */
  void start() {
    Manifest found = store.newest();
    for (String problem : store.damaged()) {
      LOG.warn("a snapshot is damaged, and not used: {}", problem);
    }
    if (found != null) {
      check(found, () -> published(found));
    }
  }

  private void check(Manifest manifest, Runnable isSound) {
    lane.run(
        () -> {
          store.verifyOrRemove(manifest);
          return manifest;
        },
        verified -> isSound.run(),
        failure -> lost(manifest, failure));
  }

  private void lost(Manifest manifest, RuntimeException failure) {
    LOG.warn("snapshot {} is not used: {}", manifest, failure.toString());
    sound.remove(manifest.name());
    if (store.find(manifest.name()) == null) {
      var unusedFuture = taker.take();
    }
  }

  // ---- what happens ----

  void tick() {
    boolean isFree = receiver.receiving() == null && !install.isInstalling();
    quarantine.tick(isFree);
    if (!quarantine.isOn()) {
      comparison.tick();
      if (!install.isInstalling()) {
        taker.tick(isFree && sender.isIdle());
      }
    }
    sender.tick(core.membership()::isMember);
    receiver.tick();
    if (archiver != null) {
      archiver.tick();
    }
    beginInstall();
    if (++ticks % compactionTicks == 0) {
      compact();
      reachLog();
    }
  }

  /**
   * Entries were applied, and the core knows.
   *
   * @param entries perhaps none, if there is a finding
   * @param finding what the last one, or the next one, says against this state; or null
   */
  void applied(List<Entry> entries, @Nullable StateFinding finding) {
    if (!entries.isEmpty()) {
      appliedHere(entries);
    }
    Set<NodeId> self = Set.of(core.status().self());
    if (finding instanceof Contradiction alone && core.membership().voters().equals(self)) {
      throw new IllegalStateException(
          alone + ". No other voter has a state to rebuild it from: restore a backup");
    }
    if (finding != null) {
      quarantine.begin(finding);
    }
  }

  private void appliedHere(List<Entry> entries) {
    taker.applied(entries);
    if (archiver != null) {
      archiver.applied(entries);
    }
    tellCore();
  }

  /** What the core asks for to be sent; true if it is a snapshot. */
  boolean sends(Envelope envelope) {
    if (envelope.message() instanceof Message.InstallSnapshot message) {
      if (quarantine.isOn()) {
        core.snapshotFailed(envelope.to());
        return true;
      }
      compaction.recovers(envelope.to());
      sender.offer(envelope.to(), envelope.term(), message.snapshot());
      return true;
    }
    return false;
  }

  void install(SnapshotMeta snapshot) {
    install.submit(snapshot);
    beginInstall();
  }

  private void beginInstall() {
    if (install.isInstalling()) {
      quarantine.prepare();
    }
    boolean isRead = taker.isTaking() || quarantine.keepsState();
    install.step(isRead, sound::contains, this::installed);
  }

  void received(NodeId from, SnapshotFrame frame) {
    if (frame instanceof SnapshotFrame.Offer offer) {
      if (offer.term() >= core.term()) {
        receiver.offered(from, offer);
      }
    } else if (frame instanceof SnapshotFrame.Pull pull) {
      pulled(from, pull);
    } else if (frame instanceof SnapshotFrame.Chunk chunk) {
      receiver.chunk(from, chunk);
    } else if (frame instanceof SnapshotFrame.Gone gone) {
      receiver.gone(from, gone.name());
      Manifest doubted = sender.doubted(from, gone.name());
      if (doubted != null) {
        check(doubted, () -> LOG.warn("{} could not use {}, which is sound", from, doubted));
      }
    } else if (frame instanceof SnapshotFrame.Fetched fetched) {
      sender.fetched(from, fetched.name());
    } else if (frame instanceof SnapshotFrame.Sums sums) {
      comparison.received(from, sums);
    } else if (frame instanceof SnapshotFrame.Wanted wanted) {
      wanted(from, wanted);
    } else {
      throw new AssertionError("unknown frame " + frame);
    }
  }

  private void pulled(NodeId from, SnapshotFrame.Pull pull) {
    if (!quarantine.isOn()) {
      sender.pulled(from, pull);
    }
  }

  /**
   * A member in quarantine wants a state that is right. Only a leader whose own was found right at
   * that check or later may give it; and only one that holds more than the verdict, so that it
   * cannot be taken for one of the wrong state.
   */
  private void wanted(NodeId from, SnapshotFrame.Wanted wanted) {
    if (core.role() != RoleName.LEADER || quarantine.isOn() || !core.membership().isMember(from)) {
      return;
    }
    boolean isRight = checks.confirmedIndex() >= wanted.checkIndex();
    if (!isRight || core.status().appliedIndex() <= wanted.aboveIndex()) {
      comparison.checkSoon();
      return;
    }
    SnapshotMeta last = newest;
    if (last != null && last.last().index() > wanted.aboveIndex()) {
      compaction.recovers(from);
      sender.offer(from, core.term(), last);
      transport.flush();
    } else if (!taker.isBusy()) {
      // It asks again.
      var unusedFuture = taker.take();
    }
  }

  /** Whether nothing that this node has in its state may be told. */
  boolean isQuarantined() {
    return quarantine.isOn();
  }

  /** What somebody is seen to fetch from here; null if nothing. */
  CatchingUp.@Nullable Fetched fetches(NodeId peer) {
    return sender.fetches(peer);
  }

  // ---- what came of it ----

  private void taken(Manifest manifest) {
    if (quarantine.isOn()) {
      // It was begun before: of a state that is wrong.
      lane.run(
          () -> {
            store.remove(manifest);
            return manifest;
          },
          removed -> beginInstall(),
          failure ->
              LOG.warn("{} stays, and is of a wrong state: {}", manifest, failure.toString()));
      return;
    }
    published(manifest);
    beginInstall();
  }

  private void published(Manifest manifest) {
    sound.add(manifest.name());
    if (newest == null || newest.last().index() <= manifest.meta().last().index()) {
      newest = manifest.meta();
    }
    tellCore();
    retain();
  }

  /** The state of a snapshot may be ahead of what the core has heard to be applied. */
  private void tellCore() {
    SnapshotMeta snapshot = newest;
    if (snapshot != null
        && snapshot.last().index() > toldIndex
        && snapshot.last().index() <= core.status().appliedIndex()) {
      toldIndex = snapshot.last().index();
      core.snapshot(snapshot);
      compact();
    }
  }

  private void compact() {
    if (toldIndex > 0 && !install.isInstalling() && !quarantine.isOn()) {
      long archived = archiver == null ? Long.MAX_VALUE : archiver.archivedIndex();
      compaction.run(toldIndex, Math.min(sender.oldestIndex(), archived));
    }
  }

  /**
   * After a repair there may be no snapshot that reaches the beginning of the log, and without one
   * nobody who is behind that can be helped.
   */
  private void reachLog() {
    Manifest last = store.newest();
    long reached = last == null ? 0 : last.meta().last().index();
    boolean mayTake = !taker.isBusy() && !install.isInstalling() && !quarantine.isOn();
    if (log.compacted().index() > reached && mayTake) {
      var unusedFuture = taker.take();
    }
  }

  private void retain() {
    SortedSet<String> sent = sender.names();
    lane.run(
        () -> {
          store.retain(config.count(), each -> sent.contains(each.name()));
          return true;
        },
        done -> sound.removeIf(name -> store.find(name) == null),
        failure -> LOG.warn("old snapshots could not be deleted: {}", failure.toString()));
  }

  private void installed(SnapshotMeta snapshot) {
    quarantine.rebuilt();
    taker.installed(snapshot.last());
    tellCore();
  }

  /** What a receiver asks, and whom it tells. */
  private final class Arriving implements SnapshotReceiver.Arrivals {
    @Override
    public long commitIndex() {
      return quarantine.isOn() ? quarantine.foundIndex() : core.commitIndex();
    }

    @Override
    public boolean isInstalling() {
      return install.isInstalling();
    }

    @Override
    public void fetched(Manifest manifest) {
      published(manifest);
    }

    /** By now another node may lead: what was committed then, it holds too (§5.4.3). */
    @Override
    public void arrived(NodeId from, long term, SnapshotMeta snapshot) {
      NodeId self = core.status().self();
      NodeId leader = core.leader();
      Message install = new Message.InstallSnapshot(snapshot);
      core.step(
          leader == null || leader.equals(self)
              ? new Envelope(from, self, term, install)
              : new Envelope(leader, self, core.term(), install));
      // The log reaches it, so the core needs nothing. The state does.
      boolean isKnown = core.commitIndex() >= snapshot.last().index();
      if (quarantine.isOn() && isKnown && snapshot.last().index() > quarantine.foundIndex()) {
        NodeSnapshots.this.install.rebuild(snapshot);
        beginInstall();
      }
    }
  }

  // ---- asked from outside ----

  CompletableFuture<Manifest> take() {
    return quarantine.isOn()
        ? CompletableFuture.failedFuture(new IllegalStateException("the state is being rebuilt"))
        : taker.take();
  }

  StateStatus stateStatus() {
    StateStatus.Phase phase =
        quarantine.phase(install.isInstalling(), receiver.receiving() != null);
    return new StateStatus(phase, quarantine.count(), quarantine.finding(), comparison.alarm());
  }

  SnapshotStatus status() {
    Manifest last = store.newest();
    return new SnapshotStatus(
        last == null ? EntryId.ZERO : last.meta().last(),
        last == null ? 0 : last.bytes(),
        log.sizeBytes(),
        taker.isTaking(),
        taker.failure(),
        install.isInstalling(),
        receiver.receiving(),
        archiver == null ? null : archiver.failure(toldIndex),
        sender.receivers());
  }

  void stop(String why) {
    lane.stop();
    taker.stop(why);
  }
}
