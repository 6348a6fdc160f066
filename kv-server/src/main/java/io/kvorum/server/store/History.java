package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what happened, from {@link Table#REV}; on any thread, while apply goes on and compaction
 * removes.
 *
 * <p>Compaction first says that it has happened, then removes. So whoever asks for {@link
 * #compactRevision} <em>after</em> reading knows whether what he read was whole (FAULTS F112). That
 * holds over the installation of another state too; a read that meets it throws a {@link
 * StateReplacedException}, and is to be made again when {@link Feed#replaced} was called.
 */
public final class History {
  private final Supplier<? extends TableReader> tables;
  private final LongSupplier compactRevision;

  History(Supplier<? extends TableReader> tables, LongSupplier compactRevision) {
    this.tables = tables;
    this.compactRevision = compactRevision;
  }

  /**
   * A part of the history.
   *
   * @param next where it goes on
   */
  public record Part(List<StoreEvent> events, EventPlace next) {}

  /**
   * The oldest revision whose events can be read; 0: all. Those of this revision itself are there,
   * deletions too (FAULTS F113); what they replaced is not.
   */
  public long compactRevision() {
    return compactRevision.getAsLong();
  }

  /**
   * Reads on from a place; events of a revision that is compacted meanwhile may be missing.
   *
   * @param to the last revision to read, which has been applied
   * @param eventsMax the most events to read
   * @param bytesMax the most bytes to read, if that is more than one event
   * @throws IllegalStateException if the store is closed, or is being closed; a {@link
   *     StateReplacedException} if another state is being installed
   */
  public Part read(EventPlace from, long to, int eventsMax, long bytesMax) {
    List<StoreEvent> events = new ArrayList<>();
    long bytes = 0;
    byte[] first = RevRow.key(from.revision(), from.sub());
    try (TableCursor rows = tables.get().scan(Table.REV, first, RevRow.key(to + 1, 0), false)) {
      while (rows.next()) {
        ByteBuffer place = ByteBuffer.wrap(rows.key());
        long revision = place.getLong();
        int sub = Short.toUnsignedInt(place.getShort());
        if (events.size() >= eventsMax || bytes >= bytesMax) {
          return new Part(events, new EventPlace(revision, sub));
        }
        StoreEvent event = new RevRow(revision, rows.value()).event(sub);
        events.add(event);
        bytes += event.bytes();
      }
    }
    return new Part(events, EventPlace.before(to + 1));
  }

  /** The events of one revision, in order; none if it is compacted or does not exist. */
  public List<StoreEvent> revision(long revision) {
    List<StoreEvent> events = new ArrayList<>();
    byte[] row = tables.get().get(Table.REV, RevRow.key(revision, 0));
    while (row != null) {
      events.add(new RevRow(revision, row).event(events.size()));
      row = tables.get().get(Table.REV, RevRow.key(revision, events.size()));
    }
    return events;
  }

  /** What the key held before the event; empty if it did not exist, or compaction removed it. */
  public Optional<KeyValue> previous(StoreEvent event) {
    StoreEvent.Before before = event.before();
    if (before == null || event.revision() <= compactRevision()) {
      return Optional.empty();
    }
    if (before.held() != null) {
      return Optional.of(before.held());
    }
    byte[] row = tables.get().get(Table.REV, RevRow.key(before.revision(), before.sub()));
    if (row == null) {
      InvariantViolation.check(
          event.revision() <= compactRevision(), "what is not compacted has its past");
      return Optional.empty();
    }
    RevRow found = new RevRow(before.revision(), row);
    Bytes key = event.now().key();
    return found.isDelete() ? Optional.empty() : Optional.of(found.keyValue(key, found.value()));
  }

  /** The event of a change that is being applied. */
  static StoreEvent event(Bytes key, LatestRow now, @Nullable LatestRow before) {
    StoreEvent.Before past = null;
    if (before != null && !before.tombstone()) {
      Bytes value = before.value();
      KeyValue held = value == null ? null : before.keyValue(key, value);
      past = new StoreEvent.Before(before.modRevision(), before.modSub(), held);
    }
    Bytes value = now.value() == null ? Bytes.EMPTY : now.value();
    return new StoreEvent(now.modSub(), now.tombstone(), now.keyValue(key, value), past);
  }
}
