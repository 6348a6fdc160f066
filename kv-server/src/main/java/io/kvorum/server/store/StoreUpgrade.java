package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.raft.InvariantViolation;

/**
 * Makes of a store of format 4 or 5 one of format 6: large values get their lengths and digests,
 * the events that can be read what was superseded before them, and the state the hash of its rows
 * and the space that they take. One look at every row, once, before the store is used.
 *
 * <p>A crash in between does no harm: the state says the old format until all is done, what has
 * been written by then nobody reads but this, and the next start begins anew.
 */
final class StoreUpgrade {
  private static final int BATCH_BYTES_MAX = 1 << 20;

  private final Tables tables;
  private TableBatch batch;

  private StoreUpgrade(Tables tables) {
    this.tables = tables;
    this.batch = tables.batch();
  }

  /**
   * Upgrades tables that hold a store, if they need it.
   *
   * @return the hash of its rows
   */
  static StateHash run(Tables tables) {
    byte[] row = tables.get(Table.META, StoreState.rowKey());
    StoreState found = StoreState.decode(row);
    StateHash hash = row == null ? StateHash.ZERO : StoreState.rows(row);
    return hash != null && found.space().isCounted() ? hash : new StoreUpgrade(tables).of(found);
  }

  private StateHash of(StoreState found) {
    measureValues();
    Space space =
        SpaceCount.of(
            tables,
            found,
            (place, event, superseded) -> put(Table.REV, place, event.counted(superseded)));
    write();
    StateHash rows = RowSum.of(tables);
    batch.put(Table.META, StoreState.rowKey(), found.withSpace(space).encode(rows));
    write();
    return rows;
  }

  private void measureValues() {
    try (TableCursor rows = tables.scan(Table.LATEST, new byte[0], null, false)) {
      while (rows.next()) {
        LatestRow row = LatestRow.decode(rows.value());
        if (row.tombstone() || row.value() != null || row.large() != null) {
          continue;
        }
        byte[] event = tables.get(Table.REV, RevRow.key(row.modRevision(), row.modSub()));
        if (event == null) {
          throw new InvariantViolation("the newest version of a key is in its history");
        }
        Bytes value = new RevRow(row.modRevision(), event).value();
        put(Table.LATEST, rows.key(), row.withValue(value).encode());
      }
    }
    write();
  }

  private void put(Table table, byte[] key, byte[] value) {
    batch.put(table, key, value);
    if (batch.sizeBytes() >= BATCH_BYTES_MAX) {
      write();
    }
  }

  private void write() {
    if (batch.sizeBytes() > 0) {
      tables.write(batch);
      batch = tables.batch();
    }
  }
}
