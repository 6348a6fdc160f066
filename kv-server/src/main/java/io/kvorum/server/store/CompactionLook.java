package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at a bounded number of events, and finds what is to be removed. It changes nothing. */
final class CompactionLook extends CompactionStep {
  /** Whatever the number of events: their values are read, too. */
  private static final long BYTES_MAX = 4 << 20;

  /** The newest row of a deleted key. */
  record Tombstone(Bytes key, LatestRow row) {}

  private final TableSnapshot snapshot;
  private final byte[] from;
  private final long target;
  private final int eventsMax;
  private final long walkedTo;
  private final EventPlaces walked = new EventPlaces();
  private final EventPlaces events = new EventPlaces();
  private final EventPlaces deletions = new EventPlaces();
  private final List<Tombstone> tombstones = new ArrayList<>();
  private byte @Nullable [] next;

  /**
   * A look.
   *
   * @param walkedTo up to this place another look has found what goes: see {@link HistoryParts}
   */
  CompactionLook(
      Compaction compaction,
      TableSnapshot snapshot,
      byte[] from,
      long target,
      int eventsMax,
      long walkedTo) {
    super(compaction);
    this.walkedTo = walkedTo;
    this.snapshot = snapshot;
    this.from = from;
    this.target = target;
    this.eventsMax = eventsMax;
  }

  @Override
  public void run() {
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
        walked.addKey(place);
        look(place, new RevRow(RevRow.revision(place), row));
      }
    }
  }

  private void look(byte[] place, RevRow event) {
    // Of a key that is put anew the previous event is a delete, which goes by itself.
    boolean isNew = walked.place(walked.size() - 1) > walkedTo;
    if (isNew && event.prevRevision() != 0 && event.version() != 1) {
      events.add(event.prevRevision(), event.prevSub());
    }
    long revision = RevRow.revision(place);
    if (!event.isDelete() || revision == target) {
      return;
    }
    deletions.addKey(place);
    byte[] stored = snapshot.get(Table.LATEST, event.key().arrayUnsafe());
    LatestRow newest = stored == null ? null : LatestRow.decode(stored);
    if (newest != null && newest.modRevision() == revision) {
      tombstones.add(new Tombstone(event.key(), newest));
    }
  }

  byte[] from() {
    return from;
  }

  long target() {
    return target;
  }

  /** All that was looked at, in order. */
  EventPlaces walked() {
    return walked;
  }

  /** Rows of {@link Table#REV} to remove: of puts, in any order, and some of them twice. */
  EventPlaces events() {
    return events;
  }

  /** And of deletes: not before the puts that they lead to, and together with the tombstones. */
  EventPlaces deletions() {
    return deletions;
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
