package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node does whose state was found to be wrong, until a snapshot of the majority's state has
 * taken its place (docs/adr/0014): it applies nothing, serves no reads, neither leads nor votes,
 * and takes and sends no snapshots. Its log is as good as any, and goes on. Used on the loop.
 *
 * <ol>
 *   <li>{@link QuarantineMark} says so, durably: a restart changes nothing about it;
 *   <li>snapshots of the wrong state are deleted, and the state itself is kept aside as evidence;
 *   <li>the leader is asked for a snapshot, which is fetched and installed;
 *   <li>the mark says that it is over, durably; only then the node takes part again.
 * </ol>
 *
 * <p>A state that only {@linkplain Contradiction contradicts} the log has nobody's word against it
 * yet: if the code is wrong, every member is here, and a better version goes on where all of them
 * stand. So nothing of it is written down or deleted until a snapshot has come from a leader of
 * which a majority holds the state behind that entry. A start before that meets the entry again.
 */
final class Quarantine<R> {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  /** What it stands on. */
  record Parts<R>(
      NodeId self,
      RaftCore core,
      Applier<R> applier,
      StateChecks checks,
      SnapshotLane lane,
      SnapshotStore store,
      QuarantineMark mark,
      Transport transport,
      int patienceTicks) {}

  private final Parts<R> parts;
  private final RaftCore core;
  private final SnapshotLane lane;
  private QuarantineMark.@Nullable Found found;
  private @Nullable Contradiction contradiction;
  private boolean isPreparing;
  private boolean isPrepared;
  private int ticks;

  /** A quarantine that goes on, if an earlier process was in one. Nothing was applied yet. */
  Quarantine(Parts<R> parts, long restoredIndex) {
    this.parts = parts;
    core = parts.core();
    lane = parts.lane();
    found = parts.mark().find();
    if (found == null || !found.isOpen()) {
      return;
    }
    if (restoredIndex > found.last().verdictIndex()) {
      // A wrong state is never applied to behind the verdict: so this one was installed, and only
      // the mark was not changed any more.
      over();
      return;
    }
    LOG.warn("{} is still quarantined: {}", parts.self(), found.last());
    isolate();
  }

  private void isolate() {
    parts.applier().halt();
    parts.checks().distrust();
    core.quarantine();
  }

  boolean isOn() {
    return contradiction != null || isMarked();
  }

  private boolean isMarked() {
    return found != null && found.isOpen();
  }

  /** Whether the wrong state must not go yet, since it is not kept as evidence. */
  boolean keepsState() {
    return isOn() && !isPrepared;
  }

  /** Whether all that is left to do begins with a snapshot that somebody else has. */
  private boolean isAwaiting() {
    return contradiction != null || isPrepared;
  }

  /** How far it is. */
  StateStatus.Phase phase(boolean isInstalling, boolean isFetching) {
    if (!isOn()) {
      return StateStatus.Phase.SERVING;
    }
    if (!isAwaiting()) {
      return StateStatus.Phase.MARKING;
    }
    if (isInstalling) {
      return StateStatus.Phase.REBUILDING;
    }
    return isFetching ? StateStatus.Phase.FETCHING : StateStatus.Phase.WAITING;
  }

  /** No snapshot up to here may become the state; only while it is on. */
  long foundIndex() {
    StateFinding finding = finding();
    return finding == null ? 0 : finding.foundIndex();
  }

  /** How often a majority has found the state to be wrong. */
  int count() {
    return found == null ? 0 : found.count();
  }

  /** Why it is on; else, why it last was, as far as that is written down. */
  @Nullable StateFinding finding() {
    if (contradiction != null) {
      return contradiction;
    }
    return found == null ? null : found.last();
  }

  /** The state machine has found that its state is wrong, and applies nothing more. */
  void begin(StateFinding finding) {
    isPrepared = false;
    LOG.error(
        "{} is quarantined at entry {}: {}. It takes no part in votes and reads until it has"
            + " rebuilt its state from a snapshot of the leader, which it does by itself",
        parts.self(),
        finding.foundIndex(),
        finding);
    isolate();
    if (finding instanceof Divergence divergence) {
      found = new QuarantineMark.Found(true, count() + 1, divergence);
      prepare();
    } else {
      contradiction = (Contradiction) finding;
    }
  }

  /**
   * Time passes.
   *
   * @param isFree whether nothing is being fetched or installed
   */
  void tick(boolean isFree) {
    if (!isOn()) {
      return;
    }
    if (!isAwaiting()) {
      prepare();
      return;
    }
    NodeId leader = core.leader();
    StateFinding finding = finding();
    if (++ticks >= parts.patienceTicks() && isFree && leader != null && finding != null) {
      ticks = 0;
      parts
          .transport()
          .send(leader, new SnapshotFrame.Wanted(finding.checkIndex(), finding.foundIndex()));
      parts.transport().flush();
    }
  }

  /**
   * The first two steps, if they are not done: of a quarantine that is to be written down, at once;
   * of another one, when a right state is here. What fails is tried again with the next tick.
   */
  void prepare() {
    if (!isOn() || isPreparing || isPrepared) {
      return;
    }
    isPreparing = true;
    long index = foundIndex();
    QuarantineMark.Found toMark = isMarked() ? found : null;
    lane.run(
        () -> {
          if (toMark != null) {
            parts.mark().set(toMark);
          }
          removeSnapshots(index);
          return index;
        },
        marked -> keepEvidence(),
        failure -> {
          isPreparing = false;
          LOG.warn("{} cannot prepare to be rebuilt: {}", parts.self(), failure.toString());
        });
  }

  /** They may be of a state that was wrong already. On the snapshot lane. */
  private void removeSnapshots(long foundIndex) {
    for (Manifest manifest : List.copyOf(parts.store().published())) {
      if (manifest.meta().last().index() <= foundIndex) {
        parts.store().remove(manifest);
      }
    }
  }

  /** The evidence is worth little against a node that serves again: without it, it goes on. */
  private void keepEvidence() {
    parts
        .applier()
        .checkpoint(
            checkpoint ->
                lane.run(
                    () -> checkpoint.writeTo(parts.mark().freshEvidence()),
                    written -> prepared(),
                    failure -> {
                      LOG.warn("{} keeps no whole evidence: {}", parts.self(), failure.toString());
                      prepared();
                    }));
  }

  private void prepared() {
    isPreparing = false;
    isPrepared = true;
    // It may ask at once.
    ticks = parts.patienceTicks();
  }

  /** The last step, on the snapshot lane: a right state has been installed. */
  void close() {
    QuarantineMark.Found now = parts.mark().find();
    if (now != null && now.isOpen()) {
      parts.mark().set(new QuarantineMark.Found(false, now.count(), now.last()));
    }
  }

  /** A right state has been installed, and the mark says so. */
  void rebuilt() {
    if (isOn()) {
      LOG.info("{} has rebuilt its state and takes part again", parts.self());
    }
    contradiction = null;
    QuarantineMark.Found now = found;
    if (now != null && now.isOpen()) {
      found = new QuarantineMark.Found(false, now.count(), now.last());
    }
  }

  private void over() {
    rebuilt();
    lane.run(
        () -> {
          close();
          return true;
        },
        closed -> {},
        failure ->
            LOG.warn("the end of a quarantine was not written down: {}", failure.toString()));
  }
}
