package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link Compaction}: looks at a bounded number of events on any thread, and finds what
 * is to be removed. It changes nothing itself. To be closed.
 */
public final class CompactionStep implements AutoCloseable {
  /** Whatever the number of events: their values are read, too. */
  private static final long BYTES_MAX = 4 << 20;

  /** The newest row of a deleted key. */
  record Tombstone(Bytes key, LatestRow row) {}

  private final Compaction compaction;
  private final TableSnapshot snapshot;
  private final byte[] from;
  private final long target;
  private final int eventsMax;
  private final List<byte[]> events = new ArrayList<>();
  private final List<Tombstone> tombstones = new ArrayList<>();
  private byte @Nullable [] next;

  CompactionStep(
      Compaction compaction, TableSnapshot snapshot, byte[] from, long target, int eventsMax) {
    this.compaction = compaction;
    this.snapshot = snapshot;
    this.from = from;
    this.target = target;
    this.eventsMax = eventsMax;
  }

  /**
   * Finds what is to be removed. Once.
   *
   * @throws IllegalStateException if the store is being closed; a {@link StateReplacedException} if
   *     another state takes its place: then there is nothing to finish
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  public void scan() {
    int looked = 0;
    long bytes = 0;
    try (TableCursor rows = snapshot.scan(Table.REV, from, RevRow.key(target + 1, 0), false)) {
      while (rows.next()) {
        byte[] place = rows.key();
        if (looked == eventsMax || bytes >= BYTES_MAX) {
          next = place;
          return;
        }
        byte[] row = rows.value();
        looked++;
        bytes += row.length;
        look(place, new RevRow(RevRow.revision(place), row));
      }
    }
  }

  private void look(byte[] place, RevRow event) {
    // Of a key that is put anew the previous event is a delete, which goes by itself.
    if (event.prevRevision() != 0 && event.version() != 1) {
      events.add(RevRow.key(event.prevRevision(), event.prevSub()));
    }
    long revision = RevRow.revision(place);
    if (!event.isDelete() || revision == target) {
      return;
    }
    events.add(place);
    byte[] stored = snapshot.get(Table.LATEST, event.key().arrayUnsafe());
    LatestRow newest = stored == null ? null : LatestRow.decode(stored);
    if (newest != null && newest.modRevision() == revision) {
      tombstones.add(new Tombstone(event.key(), newest));
    }
  }

  boolean isOf(Compaction one) {
    return compaction == one;
  }

  byte[] from() {
    return from;
  }

  long target() {
    return target;
  }

  /** Keys of rows of {@link Table#REV} to remove. */
  List<byte[]> events() {
    return events;
  }

  /** Rows of {@link Table#LATEST} to remove, unless they have changed since. */
  List<Tombstone> tombstones() {
    return tombstones;
  }

  /** Where the next step begins; null: this was the last one. */
  byte @Nullable [] next() {
    return next;
  }

  @Override
  public void close() {
    snapshot.close();
  }
}
