package io.kvorum.server.store;

import java.util.function.BooleanSupplier;

/** Removes what was found, of {@link Table#REV}. Nothing is left to do when it has run. */
final class CompactionRemoval extends CompactionStep {
  private final Tables tables;
  private final EventPlaces events;
  private final BooleanSupplier isUnread;

  /**
   * @param events in any order; handed over
   * @param isUnread whether everybody has ended who may still read them
   */
  CompactionRemoval(
      Compaction compaction, Tables tables, EventPlaces events, BooleanSupplier isUnread) {
    super(compaction);
    this.tables = tables;
    this.events = events;
    this.isUnread = isUnread;
  }

  @Override
  public void run() {
    // What happened at the last target itself is walked twice.
    events.sortOnce();
    tables.remove(Table.REV, events, isUnread.getAsBoolean());
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
