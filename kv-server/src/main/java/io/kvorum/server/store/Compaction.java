package io.kvorum.server.store;

import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Removes from the tables what no reader can reach any more, behind the compact revision that the
 * state names. Used by the apply lane; the long part, {@link CompactionStep#scan}, leaves it.
 *
 * <p>How. It walks {@link Table#REV} from where it last stood up to the compact revision <i>c</i>,
 * a step at a time. Each event there has replaced the one that it names as the key's previous one,
 * which so is readable at no revision from <i>c</i> on, and goes. An event that is a delete goes
 * itself if it is older than <i>c</i>, and the key's tombstone in {@link Table#LATEST} with it,
 * unless the key exists again. What happened at <i>c</i> itself stays, deletes too: a watch may
 * begin there (FAULTS F113). So the next compaction begins its walk at <i>c</i>.
 *
 * <p>Why a crash does no harm (FAULTS F145). The tables come to hold a compact revision before
 * anything is removed for its sake. Each step is one batch, with the place that it has reached; a
 * step that is repeated removes what is gone already. Nothing outside the tables depends on how far
 * a member is: what can be read is decided by the state alone, and the same events of other members
 * may differ only in a previous event that names a removed deletion, or none.
 *
 * <p>Why it does not meet apply or readers. Apply writes rows of later revisions only, and a
 * tombstone is compared again with the newest row on the apply lane. A pinned reader keeps its
 * rows.
 */
final class Compaction {
  private static final byte[] ROW_KEY = {'c', 'o', 'm', 'p', 'a', 'c', 't', 'i', 'o', 'n'};
  private static final int ROW_BYTES = 2 * Long.BYTES + Short.BYTES;

  private final Tables tables;
  private final Overlay overlay;

  /** All was removed that was not needed for this compact revision. */
  private volatile long finished;

  /** The walk goes on here; see {@link RevRow#key}. */
  private byte[] from;

  /**
   * The compact revision that the walk is for. Before the first step none: what a start finds of
   * {@link #from} holds for any.
   */
  private long target = Long.MAX_VALUE;

  Compaction(Tables tables, Overlay overlay) {
    this.tables = tables;
    this.overlay = overlay;
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
   * Prepares the next step; null if there is nothing to do. To be closed, and not prepared again
   * before {@link #finish}.
   */
  @Nullable CompactionStep prepare(StoreState state, int eventsMax) {
    if (finished >= state.compactRevision()) {
      return null;
    }
    if (target != state.compactRevision()) {
      // What the walk has kept of the last target's own revision is not needed any more.
      from = atMost(from, RevRow.key(target, 0));
      target = state.compactRevision();
    }
    // A crash must not find removed what its state says can be read.
    StoreState stored = StoreState.decode(tables.get(Table.META, StoreState.rowKey()));
    if (stored.compactRevision() < target) {
      overlay.writeAll(state);
    }
    return new CompactionStep(this, tables.snapshot(), from, target, eventsMax);
  }

  private static byte[] atMost(byte[] place, byte[] most) {
    return Arrays.compareUnsigned(place, most) < 0 ? place : most;
  }

  /** Removes what a step has found, if that is still what is to be done. */
  void finish(CompactionStep step) {
    InvariantViolation.check(
        step.target() == target && Arrays.equals(step.from(), from), "one step at a time");
    TableBatch batch = tables.batch();
    step.events().forEach(event -> batch.delete(Table.REV, event));
    for (CompactionStep.Tombstone tombstone : step.tombstones()) {
      if (overlay.release(tombstone.key(), tombstone.row())) {
        batch.delete(Table.LATEST, tombstone.key().arrayUnsafe());
      }
    }
    byte[] more = step.next();
    boolean isLast = more == null;
    byte[] next = more == null ? RevRow.key(target, 0) : more;
    batch.put(Table.META, ROW_KEY, row(isLast ? target : finished, next));
    tables.write(batch);
    from = next;
    if (isLast) {
      finished = target;
    }
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
