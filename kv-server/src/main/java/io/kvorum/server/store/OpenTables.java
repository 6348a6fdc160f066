package io.kvorum.server.store;

/**
 * Tables that are open, and all that is held of them on the heap; so all that goes when others take
 * their place.
 *
 * @param found the state that they held when they were opened
 */
record OpenTables(
    Tables tables, Overlay overlay, Versions versions, Compaction compaction, StoreState found) {
  /**
   * Opens those of a home.
   *
   * @throws IllegalStateException if another version of the format is in there, or no store
   */
  static OpenTables in(TablesHome home, StoreOptions options) {
    Tables tables = home.open();
    boolean complete = false;
    try {
      StoreState found = StoreState.in(tables);
      Overlay overlay = new Overlay(tables, options, StoreUpgrade.run(tables));
      OpenTables opened =
          new OpenTables(
              tables, overlay, new Versions(tables), new Compaction(tables, overlay), found);
      complete = true;
      return opened;
    } finally {
      if (!complete) {
        tables.abandon();
      }
    }
  }
}
