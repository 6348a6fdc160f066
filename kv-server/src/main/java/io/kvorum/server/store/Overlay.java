package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.raft.InvariantViolation;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What apply reads, on the heap in front of the tables. Used by the apply lane only.
 *
 * <p>Changed rows of {@link Table#LATEST} collect here and reach the table only by {@link
 * #writeAll}, in one batch with the state they belong to: so what is durable of them is always the
 * effect of whole entries up to the applied one (FAULTS F029). Rows of {@link Table#REV} are only
 * written, never changed, and may be in the table before the state says so; replay writes the same
 * ones again, and no read goes to a revision that the state does not know.
 *
 * <p>Why: a random insert into a memory table and the read of the previous row are most of what a
 * put costs; a hot key here costs neither, and is written once for many changes.
 */
final class Overlay {
  /** About what a row takes on the heap beyond key and value. */
  private static final int ROW_OVERHEAD_BYTES = 160;

  /** A batch of this size is written early, to bound the heap. */
  private static final int BATCH_BYTES_MAX = 4 << 20;

  private final Tables tables;
  private final StoreOptions options;
  private final Map<Bytes, LatestRow> changed = new HashMap<>();
  private final LinkedHashMap<Bytes, LatestRow> cached = new LinkedHashMap<>(16, 0.75f, true);
  private long changedBytes;
  private long cachedBytes;
  private long revBytes;
  private long examined;
  private final RowSum sum;
  private final UsedSpace used;
  private final AtomicReference<@Nullable StateHash> correction = new AtomicReference<>();
  private final LeaseRows leases;
  private final Replies replies;
  private final UsedFeatures features;
  private TableBatch batch;

  /**
   * @param rows hash of the rows of the tables
   * @param space that they take
   */
  Overlay(Tables tables, StoreOptions options, StateHash rows, Space space) {
    this.tables = tables;
    this.options = options;
    this.sum = new RowSum(rows);
    this.used = new UsedSpace(space);
    this.leases = LeaseRows.load(tables, sum, used);
    this.replies = Replies.load(tables, leases, sum, used);
    this.features = UsedFeatures.load(tables);
    this.batch = tables.batch();
  }

  /** Which keys hang on which lease. */
  LeaseRows leases() {
    return leases;
  }

  /** What was answered to commands that may come again. */
  Replies replies() {
    return replies;
  }

  /** What commands have needed. */
  UsedFeatures features() {
    return features;
  }

  /** What all of it takes. */
  UsedSpace used() {
    return used;
  }

  /** The newest row of a key, a tombstone too; null if it has none. */
  @Nullable LatestRow find(Bytes key) {
    LatestRow row = changed.get(key);
    if (row == null) {
      row = cached.get(key);
    }
    if (row != null) {
      return row;
    }
    byte[] stored = tables.get(Table.LATEST, key.arrayUnsafe());
    if (stored == null) {
      return null;
    }
    row = LatestRow.decode(stored);
    remember(key, row);
    trim();
    return row;
  }

  /** Records a change; {@code before} is what {@link #find} or a scan gave for the key. */
  void change(Bytes key, LatestRow now, @Nullable LatestRow before) {
    byte[] event = RevRow.encode(key, now, before, used.supersededBytes());
    used.changed(key, now, before);
    batch.put(Table.REV, RevRow.key(now.modRevision(), now.modSub()), event);
    revBytes += event.length;
    leases.moved(key, before == null ? 0 : before.lease(), now.lease());
    LatestRow replaced = changed.put(key, now);
    changedBytes += bytes(key, now);
    if (replaced != null) {
      changedBytes -= bytes(key, replaced);
      return;
    }
    forget(key);
    if (before != null && !before.tombstone()) {
      sum.remove(Table.LATEST, key.arrayUnsafe(), before.encode());
    }
  }

  /**
   * Whether enough has collected for {@link #writeAll}. The rows of rev count too: a store that
   * changes one key for ever must move its durable state as well, or its log could never be cut.
   */
  boolean isFull() {
    return changed.size() + leases.unwritten() + replies.unwritten() >= options.overlayRowsMax()
        || changedBytes >= options.overlayBytesMax()
        || revBytes >= options.overlayBytesMax();
  }

  /**
   * Whether a scan of the table could miss a change. Looking costs as much as there are changes; a
   * few times that much without a write between, and the write is the cheaper way: then the answer
   * is yes without looking.
   */
  boolean hides(KeyRange range) {
    if (changed.isEmpty()) {
      return false;
    }
    examined += changed.size();
    return examined > 4L * options.overlayRowsMax()
        || changed.keySet().stream().anyMatch(range::contains);
  }

  /** Writes collected rev rows if they are many. Between two entries only. */
  void writeSomeEvents() {
    if (batch.sizeBytes() >= BATCH_BYTES_MAX) {
      writeEvents();
    }
  }

  /** Writes collected rev rows. Between two entries only. */
  void writeEvents() {
    if (batch.sizeBytes() > 0) {
      tables.write(batch);
      batch = tables.batch();
    }
  }

  /**
   * What was superseded up to a revision, it included. Between two entries only.
   *
   * @param revision behind the compact one, or the newest; there is a newer one
   */
  long supersededBytes(long revision) {
    writeEvents();
    byte[] next = tables.get(Table.REV, RevRow.key(revision + 1, 0));
    if (next == null) {
      throw new InvariantViolation("revision " + (revision + 1) + " is in the history");
    }
    return new RevRow(revision + 1, next).supersededBytes();
  }

  /**
   * What the tables hold is not what was written into them: the hash says so from the next batch
   * on, or nobody else would hear of it. Once is enough. Any thread.
   *
   * @param difference of the hash of what they hold to the one that was reckoned
   */
  void correctRows(StateHash difference) {
    correction.set(difference);
  }

  /** Whether it was found that the tables hold something else than was written. Any thread. */
  boolean isDoubted() {
    return correction.get() != null;
  }

  /** A majority has the same rows. */
  void trustRows() {
    StateHash difference = correction.getAndSet(null);
    if (difference != null) {
      sum.correct(difference);
    }
  }

  /** Writes everything collected, together with the state it leads to. Between entries only. */
  void writeAll(StoreState state) {
    Bytes[] keys = changed.keySet().toArray(new Bytes[0]);
    Arrays.sort(keys);
    for (Bytes key : keys) {
      LatestRow row = changed.get(key);
      if (row != null) {
        write(key, row.withoutLargeValue());
      }
    }
    leases.writeTo(batch);
    replies.writeTo(batch);
    features.writeTo(batch);
    batch.put(Table.META, StoreState.rowKey(), state.encode(sum.value()));
    tables.write(batch);
    batch = tables.batch();
    changed.clear();
    changedBytes = 0;
    revBytes = 0;
    examined = 0;
    trim();
  }

  private void write(Bytes key, LatestRow row) {
    byte[] encoded = row.encode();
    batch.put(Table.LATEST, key.arrayUnsafe(), encoded);
    if (!row.tombstone()) {
      sum.add(Table.LATEST, key.arrayUnsafe(), encoded);
    }
    remember(key, row);
  }

  /**
   * Right after {@link #writeAll}: the hash of the rows of the tables, as far as that is known.
   * What the tables say of themselves is what was written, also while it is doubted: so whoever
   * reads all of them after a restart finds out again.
   */
  StateHash rows() {
    StateHash difference = correction.get();
    return difference == null ? sum.value() : sum.value().plus(difference);
  }

  /**
   * Forgets a row that is about to leave the table.
   *
   * @return whether the newest row of the key is this one, so that it may leave
   */
  boolean release(Bytes key, LatestRow row) {
    if (!row.equals(find(key))) {
      return false;
    }
    InvariantViolation.check(!changed.containsKey(key), "what is compacted is in the table");
    forget(key);
    return true;
  }

  private void remember(Bytes key, LatestRow row) {
    cached.put(key, row);
    cachedBytes += bytes(key, row);
  }

  private void forget(Bytes key) {
    LatestRow row = cached.remove(key);
    if (row != null) {
      cachedBytes -= bytes(key, row);
    }
  }

  private void trim() {
    Iterator<Map.Entry<Bytes, LatestRow>> oldest = cached.entrySet().iterator();
    while (cachedBytes > options.cacheBytesMax() && oldest.hasNext()) {
      Map.Entry<Bytes, LatestRow> row = oldest.next();
      cachedBytes -= bytes(row.getKey(), row.getValue());
      oldest.remove();
    }
  }

  private static long bytes(Bytes key, LatestRow row) {
    int valueBytes = row.value() == null ? 0 : row.value().size();
    return (long) ROW_OVERHEAD_BYTES + key.size() + valueBytes;
  }
}
