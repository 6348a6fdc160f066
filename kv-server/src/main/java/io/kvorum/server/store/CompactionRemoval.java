package io.kvorum.server.store;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Removes what was found, of {@link Table#REV}. Nothing is left to do when it has run. */
final class CompactionRemoval extends CompactionStep {
  private final Tables tables;
  private final EventPlaces events;
  private final HistoryParts parts;
  private final BooleanSupplier isUnread;

  /**
   * @param events in any order; handed over
   * @param parts of the history; nobody else uses them before this is finished
   * @param isUnread whether everybody has ended who may still read the events
   */
  CompactionRemoval(
      Compaction compaction,
      Tables tables,
      EventPlaces events,
      HistoryParts parts,
      BooleanSupplier isUnread) {
    super(compaction);
    this.tables = tables;
    this.events = events;
    this.parts = parts;
    this.isUnread = isUnread;
  }

  @Override
  public void run() {
    events.sortOnce();
    List<RowRange> emptied = parts.remove(events);
    tables.remove(Table.REV, events, isUnread.getAsBoolean() ? emptied : List.of());
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
