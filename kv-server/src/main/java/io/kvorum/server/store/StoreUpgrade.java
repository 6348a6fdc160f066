package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.raft.InvariantViolation;

/**
 * Makes of a store of format 4 one of format 5: large values get their digests, and the state the
 * hash of its rows. One look at every row, once, before the store is used.
 *
 * <p>A crash in between does no harm: the state says format 4 until all is done, a row with a
 * digest is ignored by nobody, and the next start begins anew.
 */
final class StoreUpgrade {
  private static final int BATCH_BYTES_MAX = 1 << 20;

  private StoreUpgrade() {}

  /**
   * Upgrades tables that hold a store, if they need it.
   *
   * @return the hash of its rows
   */
  static StateHash run(Tables tables) {
    byte[] row = tables.get(Table.META, StoreState.rowKey());
    StateHash found = row == null ? StateHash.ZERO : StoreState.rows(row);
    if (found != null) {
      return found;
    }
    addDigests(tables);
    StateHash rows = RowSum.of(tables);
    TableBatch batch = tables.batch();
    batch.put(Table.META, StoreState.rowKey(), StoreState.decode(row).encode(rows));
    tables.write(batch);
    return rows;
  }

  private static void addDigests(Tables tables) {
    TableBatch batch = tables.batch();
    try (TableCursor rows = tables.scan(Table.LATEST, new byte[0], null, false)) {
      while (rows.next()) {
        LatestRow row = LatestRow.decode(rows.value());
        if (row.tombstone() || row.value() != null || row.digest() != null) {
          continue;
        }
        byte[] event = tables.get(Table.REV, RevRow.key(row.modRevision(), row.modSub()));
        if (event == null) {
          throw new InvariantViolation("the newest version of a key is in its history");
        }
        Bytes value = new RevRow(row.modRevision(), event).value();
        batch.put(Table.LATEST, rows.key(), row.withValue(value).encode());
        if (batch.sizeBytes() >= BATCH_BYTES_MAX) {
          tables.write(batch);
          batch = tables.batch();
        }
      }
    }
    if (batch.sizeBytes() > 0) {
      tables.write(batch);
    }
  }
}
