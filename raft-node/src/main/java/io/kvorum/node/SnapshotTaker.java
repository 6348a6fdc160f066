package io.kvorum.node;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.SnapshotMeta;
import io.kvorum.snapshot.Draft;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes snapshots of this node's own state: when enough of the log was applied since the last one,
 * when the last one is old, and when somebody asks. Used on the loop; the state machine begins one
 * between two batches, and the rest is done on the snapshot lane while it goes on.
 */
final class SnapshotTaker<R> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotTaker.class);

  /** After a failure the next attempt waits for so long: a full disk is not filled in a loop. */
  private static final long PAUSE_NANOS = 30_000_000_000L;

  private final SnapshotConfig config;
  private final Membership origin;
  private final Applier<R> applier;
  private final SnapshotLane lane;
  private final SnapshotStore store;
  private final Clock clock;
  private final Consumer<Manifest> taken;

  /** Who waits for one that has not begun, and for the one that has. */
  private List<CompletableFuture<Manifest>> waiting = new ArrayList<>();

  private List<CompletableFuture<Manifest>> asked = List.of();
  private long bytesSince;
  private EntryId applied;
  private long lastNanos;
  private long pausedUntilNanos;
  private @Nullable String failure;
  private boolean isTaking;

  /**
   * A taker.
   *
   * @param origin the members as long as the log says nothing
   * @param restored what the state machine starts from
   * @param bytesSince of the log that is not in the newest snapshot
   * @param taken told of each new snapshot
   */
  SnapshotTaker(
      SnapshotConfig config,
      Membership origin,
      Applier<R> applier,
      SnapshotLane lane,
      SnapshotStore store,
      Clock clock,
      EntryId restored,
      long bytesSince,
      Consumer<Manifest> taken) {
    this.config = config;
    this.origin = origin;
    this.applier = applier;
    this.lane = lane;
    this.store = store;
    this.clock = clock;
    this.applied = restored;
    this.bytesSince = bytesSince;
    this.taken = taken;
    lastNanos = clock.nanoTime();
    pausedUntilNanos = lastNanos;
  }

  boolean isTaking() {
    return isTaking;
  }

  /** Whether one is being taken, or somebody waits for one that has not begun. */
  boolean isBusy() {
    return isTaking || !waiting.isEmpty();
  }

  /** Why the last attempt failed; null if it did not, or the state has been replaced since. */
  @Nullable String failure() {
    return failure;
  }

  /** Entries were applied. */
  void applied(List<Entry> entries) {
    for (Entry entry : entries) {
      bytesSince += entry.sizeBytes();
    }
    applied = entries.get(entries.size() - 1).id();
  }

  /** The state was replaced by this snapshot, which is as good as one that was taken. */
  void installed(EntryId last) {
    applied = last;
    failure = null;
    begunAnew();
  }

  private void begunAnew() {
    bytesSince = 0;
    lastNanos = clock.nanoTime();
  }

  /** Asks for a snapshot of at least what is applied now; fails if it cannot be taken. */
  CompletableFuture<Manifest> take() {
    CompletableFuture<Manifest> snapshot = new CompletableFuture<>();
    waiting.add(snapshot);
    return snapshot;
  }

  /**
   * Begins one if it is time. Not called while one is being installed.
   *
   * @param isFree whether one may be taken that nobody asked for: while snapshots are sent, the log
   *     is kept from the older one on, so that a newer one would only cost
   */
  void tick(boolean isFree) {
    if (!isTaking && (!waiting.isEmpty() || (isFree && isDue()))) {
      begin();
    }
  }

  private boolean isDue() {
    long nanos = clock.nanoTime();
    if (bytesSince == 0 || nanos - pausedUntilNanos < 0) {
      return false;
    }
    boolean isMuch = config.logBytes() > 0 && bytesSince >= dueBytes();
    boolean isOld = !config.interval().isZero() && nanos - lastNanos >= config.interval().toNanos();
    return isMuch || isOld;
  }

  /** To take one costs as much as the state is large, so a larger one is taken less often. */
  private long dueBytes() {
    Manifest newest = store.newest();
    long stateBytes = newest == null ? 0 : newest.bytes();
    return Math.max(config.logBytes(), Math.min(stateBytes, config.logBudgetBytes()));
  }

  private void begin() {
    asked = waiting;
    waiting = new ArrayList<>();
    Manifest newest = store.newest();
    if (newest != null && newest.meta().last().equals(applied)) {
      asked.forEach(each -> each.complete(newest));
      begunAnew();
      return;
    }
    isTaking = true;
    begunAnew();
    applier.checkpoint(checkpoint -> lane.run(() -> write(checkpoint), this::ended, this::failed));
  }

  /** On the snapshot lane; null if the group's members are not known yet. */
  private @Nullable Manifest write(StateMachine.Checkpoint checkpoint) {
    Draft draft = store.draft();
    try {
      StateMachine.Written written = checkpoint.writeTo(draft.files());
      SnapshotMeta meta = written.meta();
      if (meta.membership().isEmpty()) {
        meta = new SnapshotMeta(meta.last(), origin);
      }
      // Before the first entry there is nothing, and a snapshot names its members.
      return meta.membership().isEmpty() || meta.last().index() == 0
          ? null
          : draft.publish(meta, written.about());
    } finally {
      draft.discard();
    }
  }

  private void ended(@Nullable Manifest manifest) {
    isTaking = false;
    failure = null;
    if (manifest == null) {
      fail(asked, new IllegalStateException("there is nothing to take a snapshot of yet"));
      return;
    }
    LOG.info("took snapshot {}", manifest);
    taken.accept(manifest);
    asked.forEach(each -> each.complete(manifest));
  }

  private void failed(RuntimeException why) {
    isTaking = false;
    failure = String.valueOf(why.getMessage());
    pausedUntilNanos = clock.nanoTime() + PAUSE_NANOS;
    // Else, with bytes counted from now on, the next attempt would wait for as many again.
    bytesSince = Math.max(bytesSince, dueBytes());
    LOG.warn("a snapshot could not be taken, the log is kept: {}", why.toString());
    fail(asked, why);
  }

  /** Nothing will be taken any more. */
  void stop(String why) {
    fail(asked, new IllegalStateException(why));
    fail(waiting, new IllegalStateException(why));
  }

  private static void fail(List<CompletableFuture<Manifest>> asked, RuntimeException why) {
    asked.forEach(each -> each.completeExceptionally(why));
  }
}
