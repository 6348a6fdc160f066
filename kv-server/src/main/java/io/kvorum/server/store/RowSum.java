package io.kvorum.server.store;

/**
 * The {@link StateHash} of rows as they come and go. It follows the tables, not the heap before
 * them: a row leaves it when it first changes after a batch, and what it has become enters it with
 * the next batch. So a row that changes often in between is hashed as rarely as it is written. Used
 * by one thread.
 */
final class RowSum {
  private StateHash sum;

  RowSum(StateHash sum) {
    this.sum = sum;
  }

  /** A row that is written. */
  void add(Table table, byte[] key, byte[] value) {
    sum = sum.plus(StateHash.ofRow(table, key, value));
  }

  /** A row that the table holds, and that the next batch removes or writes anew. */
  void remove(Table table, byte[] key, byte[] value) {
    sum = sum.minus(StateHash.ofRow(table, key, value));
  }

  /** What the tables hold was looked at, and differs by this from what was reckoned. */
  void correct(StateHash difference) {
    sum = sum.plus(difference);
  }

  /** Right after a batch: of what the tables hold. */
  StateHash value() {
    return sum;
  }

  /** Of what tables hold, row by row. */
  static StateHash of(TableReader tables) {
    RowSum sum = new RowSum(StateHash.ZERO);
    for (Table table : new Table[] {Table.LATEST, Table.LEASE, Table.SESSION}) {
      try (TableCursor rows = tables.scan(table, new byte[0], null, false)) {
        sum.addAll(table, rows);
      }
    }
    return sum.value();
  }

  private void addAll(Table table, TableCursor rows) {
    while (rows.next()) {
      byte[] value = rows.value();
      if (table != Table.LATEST || !LatestRow.isTombstone(value)) {
        add(table, rows.key(), value);
      }
    }
  }
}
