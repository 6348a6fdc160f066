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
    return found != null && found.isOpen();
  }

  /** Whether the wrong state is being kept as evidence: until then it must not go. */
  boolean isPreparing() {
    return isPreparing;
  }

  /** Whether the quarantine is written down. */
  boolean isPrepared() {
    return isPrepared;
  }

  /** No snapshot up to here may become the state; only while it is on. */
  long verdictIndex() {
    return found == null ? 0 : found.last().verdictIndex();
  }

  /** How often the state was found to be wrong. */
  int count() {
    return found == null ? 0 : found.count();
  }

  @Nullable Divergence last() {
    return found == null ? null : found.last();
  }

  /** The state machine has applied a verdict that says so, and nothing behind it. */
  void begin(Divergence divergence) {
    found = new QuarantineMark.Found(true, count() + 1, divergence);
    isPrepared = false;
    LOG.error(
        "{} is quarantined at entry {}: {}. It takes no part in votes and reads until it has"
            + " rebuilt its state from a snapshot of the leader, which it does by itself",
        parts.self(),
        divergence.verdictIndex(),
        divergence);
    isolate();
    prepare();
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
    if (!isPrepared) {
      prepare();
      return;
    }
    NodeId leader = core.leader();
    if (++ticks >= parts.patienceTicks() && isFree && leader != null) {
      ticks = 0;
      Divergence last = last();
      if (last != null) {
        long check = last.own().index();
        parts.transport().send(leader, new SnapshotFrame.Wanted(check, last.verdictIndex()));
        parts.transport().flush();
      }
    }
  }

  /** The first two steps. What fails is tried again with the next tick. */
  private void prepare() {
    QuarantineMark.Found now = found;
    if (isPreparing || now == null) {
      return;
    }
    isPreparing = true;
    lane.run(
        () -> {
          parts.mark().set(now);
          removeSnapshots(now.last().verdictIndex());
          return now;
        },
        marked -> keepEvidence(),
        failure -> {
          isPreparing = false;
          LOG.warn(
              "{} cannot write down that it is quarantined: {}", parts.self(), failure.toString());
        });
  }

  /** They may be of a state that was wrong already. On the snapshot lane. */
  private void removeSnapshots(long verdictIndex) {
    for (Manifest manifest : List.copyOf(parts.store().published())) {
      if (manifest.meta().last().index() <= verdictIndex) {
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
    QuarantineMark.Found now = found;
    if (now != null && now.isOpen()) {
      found = new QuarantineMark.Found(false, now.count(), now.last());
      LOG.info("{} has rebuilt its state and takes part again", parts.self());
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
