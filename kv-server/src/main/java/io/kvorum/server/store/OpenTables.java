package io.kvorum.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Tables that are open, and all that is held of them on the heap; so all that goes when others take
 * their place.
 *
 * @param found the state that they held when they were opened
 */
record OpenTables(
    Tables tables, Overlay overlay, Versions versions, Compaction compaction, StoreState found) {
  /**
   * Looks at every row of a checkpoint of these tables, the history too. On any thread.
   *
   * @throws CorruptTablesException if its files are damaged; they are these tables' own files, and
   *     these are condemned
   * @throws UncheckedIOException if it does not hold what was written into the tables, now or once
   *     before
   */
  void checkRows(TableSnapshot held) {
    try {
      // No hash covers the history, since members keep different parts of it.
      held.checkReadable(Table.REV);
      checkHash(held);
    } catch (CorruptTablesException damaged) {
      tables.condemn(damaged);
      throw new CorruptTablesException(
          damaged.getMessage()
              + ". Restart the node: it builds its state anew from its snapshots and its log",
          new IOException(damaged));
    }
  }

  private void checkHash(TableSnapshot held) {
    StateHash reckoned = StoreState.hashIn(held);
    StateHash rows = StoreState.in(held).hash(RowSum.of(held));
    if (!rows.equals(reckoned)) {
      overlay.correctRows(rows.minus(reckoned));
    }
    if (overlay.isDoubted()) {
      throw new UncheckedIOException(
          new IOException(
              "the state is not what was written into it: its hash is "
                  + rows
                  + ", and should be "
                  + reckoned
                  + ". It is compared with that of the other members, and rebuilt if a majority"
                  + " agrees on another one"));
    }
  }

  /**
   * Opens those of a home.
   *
   * @throws IllegalStateException if another version of the format is in there, or no store
   */
  static OpenTables in(TablesHome home, StoreOptions options) {
    Tables tables = home.open();
    boolean complete = false;
    try {
      StoreState unused = StoreState.in(tables);
      StateHash rows = StoreUpgrade.run(tables);
      StoreState found = StoreState.in(tables);
      Overlay overlay = new Overlay(tables, options, rows, found.space());
      OpenTables opened =
          new OpenTables(
              tables,
              overlay,
              new Versions(tables),
              new Compaction(tables, overlay, options.removalRows()),
              found);
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        tables.abandon();
      }
    }
  }
}
