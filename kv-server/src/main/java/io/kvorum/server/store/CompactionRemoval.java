package io.kvorum.server.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Removes what was found, of {@link Table#REV}. Nothing is left to do when it has run. */
final class CompactionRemoval extends CompactionStep {
  private final Tables tables;
  private final List<byte[]> events;

  /**
   * @param events keys of rows, in any order; handed over
   */
  CompactionRemoval(Compaction compaction, Tables tables, List<byte[]> events) {
    super(compaction);
    this.tables = tables;
    this.events = events;
  }

  @Override
  public void run() {
    events.sort(Arrays::compareUnsigned);
    List<byte[]> once = new ArrayList<>(events.size());
    byte[] last = {};
    for (byte[] event : events) {
      // What happened at the last target itself is walked twice.
      if (!Arrays.equals(event, last)) {
        once.add(event);
      }
      last = event;
    }
    tables.remove(Table.REV, once);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
