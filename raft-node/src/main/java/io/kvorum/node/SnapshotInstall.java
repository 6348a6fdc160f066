package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a published snapshot the state of this node. Each step is durable before the next one
 * begins, on the lane that owns what it changes, behind all that was queued there:
 *
 * <ol>
 *   <li>snapshot lane: its checksums are right, and {@link InstallMark} says that it is installed;
 *   <li>apply lane: the state is replaced;
 *   <li>log lane: the log is emptied, and goes on behind the snapshot; unless only a wrong state is
 *       replaced;
 *   <li>snapshot lane: the mark is taken away.
 * </ol>
 *
 * <p>A start that finds the mark does all of it again (FAULTS F061). Used on the loop.
 */
final class SnapshotInstall<R> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotInstall.class);

  private final RaftCore core;
  private final SnapshotLane lane;
  private final SnapshotStore store;
  private final InstallMark mark;
  private final Applier<R> applier;
  private final LogWriter writer;
  private final Consumer<Throwable> fail;

  /** On the snapshot lane: what else is over when a snapshot has been installed. */
  private final Runnable closing;

  private @Nullable SnapshotMeta waiting;
  private boolean isInstalling;

  /** Whether only the state is replaced: the log holds what the snapshot does. */
  private boolean keepsLog;

  /**
   * An installer.
   *
   * @param fail stops the node, as nobody knows what a start would find
   * @param closing runs on the snapshot lane before an installation counts as done
   */
  SnapshotInstall(
      RaftCore core,
      SnapshotLane lane,
      SnapshotPorts ports,
      Applier<R> applier,
      LogWriter writer,
      Consumer<Throwable> fail,
      Runnable closing) {
    this.core = core;
    this.lane = lane;
    this.store = ports.store();
    this.mark = ports.mark();
    this.applier = applier;
    this.writer = writer;
    this.fail = fail;
    this.closing = closing;
  }

  boolean isInstalling() {
    return isInstalling || waiting != null;
  }

  /** The core wants to become this. */
  void submit(SnapshotMeta snapshot) {
    waiting = snapshot;
    keepsLog = false;
  }

  /** The state, which is wrong, is to be replaced by this one. It is committed, and in the log. */
  void rebuild(SnapshotMeta snapshot) {
    waiting = snapshot;
    keepsLog = true;
  }

  /**
   * Begins what was submitted.
   *
   * @param isTaking whether a checkpoint is being written: it reads from the state that would go
   * @param isSound whether a snapshot was read through in this process
   * @param installed told when the core knows
   */
  void step(boolean isTaking, Predicate<String> isSound, Consumer<SnapshotMeta> installed) {
    SnapshotMeta snapshot = waiting;
    if (snapshot == null || isTaking) {
      return;
    }
    waiting = null;
    isInstalling = true;
    boolean sound = isSound.test(Manifest.nameOf(snapshot.last()));
    lane.run(
        () -> begin(snapshot, sound),
        files -> replace(files, snapshot, installed),
        why -> notBegun(snapshot, why));
  }

  /** On the snapshot lane; null if it is not here. */
  private @Nullable Disk begin(SnapshotMeta snapshot, boolean isSound) {
    String name = Manifest.nameOf(snapshot.last());
    Manifest manifest = store.find(name);
    if (manifest == null) {
      return null;
    }
    if (!isSound) {
      store.verifyOrRemove(manifest);
    }
    try {
      mark.set(name);
    } catch (UncheckedIOException notSet) {
      // Without a mark nothing was changed. One that a start finds later would bring back what is
      // old by then; if this fails too, the node stops.
      clearAfter(notSet);
      throw notSet;
    }
    return store.files(manifest);
  }

  private void clearAfter(UncheckedIOException notSet) {
    try {
      mark.clear();
    } catch (UncheckedIOException notCleared) {
      fail.accept(notCleared);
      notSet.addSuppressed(notCleared);
    }
  }

  private void notBegun(SnapshotMeta snapshot, RuntimeException why) {
    LOG.warn("snapshot {} is not installed: {}", Manifest.nameOf(snapshot.last()), why.toString());
    giveUp(snapshot);
  }

  private void giveUp(SnapshotMeta snapshot) {
    isInstalling = false;
    if (!keepsLog) {
      core.installFailed(snapshot);
    }
  }

  private void replace(
      @Nullable Disk files, SnapshotMeta snapshot, Consumer<SnapshotMeta> installed) {
    if (files == null) {
      giveUp(snapshot);
      return;
    }
    LOG.info("installs snapshot {}", Manifest.nameOf(snapshot.last()));
    Runnable unmark =
        () ->
            lane.run(
                () -> {
                  mark.clear();
                  closing.run();
                  return snapshot;
                },
                done -> done(done, installed),
                fail::accept);
    Runnable next = keepsLog ? unmark : () -> writer.reset(snapshot.last(), unmark);
    applier.install(files, snapshot, next);
  }

  private void done(SnapshotMeta snapshot, Consumer<SnapshotMeta> installed) {
    isInstalling = false;
    if (keepsLog) {
      core.rebuilt(snapshot.last());
    } else {
      core.installed(snapshot);
    }
    installed.accept(snapshot);
  }
}
