package io.kvorum.server.store;

import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes from the tables what no reader can reach any more, behind the compact revision that the
 * state names. Used by the apply lane; the long part, {@link CompactionStep#run}, leaves it.
 *
 * <p>How. It walks {@link Table#REV} from where it last stood up to the compact revision <i>c</i>,
 * a step at a time. Each event there has replaced the one that it names as the key's previous one,
 * which so is readable at no revision from <i>c</i> on, and goes. An event that is a delete goes
 * itself if it is older than <i>c</i>, and the key's tombstone in {@link Table#LATEST} with it,
 * unless the key exists again. What happened at <i>c</i> itself stays, deletes too: a watch may
 * begin there (FAULTS F113). So the next compaction begins its walk at <i>c</i>.
 *
 * <p>Many rows that go are removed apart from all other changes, since a database that merges them
 * with what is written meanwhile writes all of its history again and again: {@link Tables#remove}.
 *
 * <p>Why a crash does no harm (FAULTS F145). The tables come to hold a compact revision before
 * anything is removed for its sake, and durably so before it is removed apart. The place that the
 * walk has reached is written with the removal of what it has found, or after it, and so go the
 * deletes: what is walked again finds all that is left. Nothing outside the tables depends on how
 * far a member is: what can be read is decided by the state alone, and the same events of other
 * members may differ only in a previous event that names a removed deletion, or none.
 *
 * <p>Why it does not meet apply or readers. Apply writes rows of later revisions only, and a
 * tombstone is compared again with the newest row on the apply lane. A pinned reader keeps its
 * rows.
 */
final class Compaction {
  private static final byte[] ROW_KEY = {'c', 'o', 'm', 'p', 'a', 'c', 't', 'i', 'o', 'n'};

  /** So many at once, since each is compared on the apply lane. */
  private static final int DELETIONS_MAX = 4_000;

  /** What is less than this part of a removal apart is not worth one. */
  private static final int APART_DIVISOR = 50;

  /** How finely it is known what is left of the history. */
  private static final int PARTS_PER_REMOVAL = 1_000;

  private static final int PART_ROWS_MIN = 4;

  private static final int ROW_BYTES = 2 * Long.BYTES + Short.BYTES;

  private final Tables tables;
  private final Overlay overlay;
  private final int removalRows;

  /** Rows of puts that the walk has found up to where it is, and that are not removed yet. */
  private EventPlaces found = new EventPlaces();

  /** The same of deletes, and the tombstones that go with them. */
  private EventPlaces deletions = new EventPlaces();

  private final HistoryParts parts;
  private final List<CompactionLook.Tombstone> tombstones = new ArrayList<>();

  /** Whether those have ended who were pinned when the target was set. */
  private BooleanSupplier isUnread = () -> false;

  /** Whether it has come to the target. */
  private boolean isWalked;

  /** The target for whose sake a flush was begun. */
  private long flushedFor;

  /** All was removed that was not needed for this compact revision. */
  private volatile long finished;

  /** The walk goes on here; see {@link RevRow#key}. */
  private byte[] from;

  /**
   * The compact revision that the walk is for. Before the first step none: what a start finds of
   * {@link #from} holds for any.
   */
  private long target = Long.MAX_VALUE;

  /**
   * @param removalRows see {@link StoreOptions}
   */
  Compaction(Tables tables, Overlay overlay, int removalRows) {
    this.tables = tables;
    this.overlay = overlay;
    this.removalRows = removalRows;
    this.parts = new HistoryParts(Math.max(PART_ROWS_MIN, removalRows / PARTS_PER_REMOVAL));
    byte[] row = tables.get(Table.META, ROW_KEY);
    if (row == null) {
      from = RevRow.key(0, 0);
      return;
    }
    ByteBuffer in = ByteBuffer.wrap(row);
    finished = in.getLong();
    from = RevRow.key(in.getLong(), Short.toUnsignedInt(in.getShort()));
  }

  /** Up to which compact revision nothing more is to be removed. Any thread may ask. */
  long finished() {
    return finished;
  }

  /**
   * Prepares the next step; null if there is nothing to do now. Not prepared again before {@link
   * #finish}.
   */
  @Nullable CompactionStep prepare(StoreState state, int eventsMax) {
    if (finished >= state.compactRevision()) {
      return null;
    }
    if (target != state.compactRevision()) {
      // What the walk has kept of the last target's own revision is not needed any more.
      from = atMost(from, RevRow.key(target, 0));
      target = state.compactRevision();
      isWalked = false;
      // Who is pinned from now on reads nothing older.
      isUnread = tables.unpinned();
    }
    // A crash must not find removed what its state says can be read.
    if (compactRevision(tables.get(Table.META, StoreState.rowKey())) < target) {
      overlay.writeAll(state);
    }
    if (!isDue()) {
      return new CompactionLook(this, tables.snapshot(), from, target, eventsMax, parts.walkedTo());
    }
    return isTargetDurable() ? new CompactionRemoval(this, tables, found, parts, isUnread) : null;
  }

  /** Whether what was found is to be removed before the walk goes on. */
  private boolean isDue() {
    return isWalked || found.size() >= removalRows || deletions.size() >= DELETIONS_MAX;
  }

  private static long compactRevision(byte @Nullable [] row) {
    return StoreState.decode(row).compactRevision();
  }

  /** What is removed by itself may be gone before anything else is durable. */
  private boolean isTargetDurable() {
    if (isFlushed()) {
      return true;
    }
    if (flushedFor != target) {
      flushedFor = target;
      tables.flushSoon();
    }
    return isFlushed();
  }

  private boolean isFlushed() {
    byte[] row = tables.flushed(Table.META, StoreState.rowKey());
    return row != null && compactRevision(row) >= target;
  }

  private static byte[] atMost(byte[] place, byte[] most) {
    return Arrays.compareUnsigned(place, most) < 0 ? place : most;
  }

  /** Makes happen what a step has found, if that is still what is to be done. */
  void finish(CompactionStep step) {
    TableBatch batch = tables.batch();
    if (step instanceof CompactionLook look) {
      looked(look);
      if (!isDue() || found.size() >= Math.max(1, removalRows / APART_DIVISOR)) {
        return;
      }
      found.sortOnce();
      var unusedRanges = parts.remove(found);
      found.forEach(event -> batch.delete(Table.REV, event));
    }
    found = new EventPlaces();
    removeDeletions(batch);
    finished = isWalked ? target : finished;
    // Only now: a walk that was cut short begins anew where all before it is removed.
    batch.put(Table.META, ROW_KEY, row(finished, from));
    tables.write(batch);
  }

  private void looked(CompactionLook look) {
    InvariantViolation.check(
        look.target() == target && Arrays.equals(look.from(), from), "one step at a time");
    found.addAll(look.events());
    deletions.addAll(look.deletions());
    parts.walked(look.walked());
    tombstones.addAll(look.tombstones());
    byte[] more = look.next();
    isWalked = more == null;
    from = more == null ? RevRow.key(target, 0) : more;
  }

  private void removeDeletions(TableBatch batch) {
    deletions.sortOnce();
    var unusedRanges = parts.remove(deletions);
    deletions.forEach(event -> batch.delete(Table.REV, event));
    for (CompactionLook.Tombstone tombstone : tombstones) {
      if (overlay.release(tombstone.key(), tombstone.row())) {
        batch.delete(Table.LATEST, tombstone.key().arrayUnsafe());
      }
    }
    deletions = new EventPlaces();
    tombstones.clear();
  }

  /** Never behind the start of the target's own revision: the next walk begins there. */
  private byte[] row(long done, byte[] next) {
    return ByteBuffer.allocate(ROW_BYTES)
        .putLong(done)
        .put(atMost(next, RevRow.key(target, 0)))
        .array();
  }

  /** The key of the row that says how far it is. */
  static byte[] rowKey() {
    return ROW_KEY.clone();
  }
}
