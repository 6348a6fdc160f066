package io.kvorum.server.store;

import org.jspecify.annotations.Nullable;

/**
 * Reads of tables. Keys are ordered byte by byte, unsigned.
 *
 * <p>Arrays that go in or come out are shared: neither side changes them afterwards.
 */
public interface TableReader {
  /**
   * The value of a key, or null.
   *
   * @throws IllegalStateException if this, or the tables, are closed
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  byte @Nullable [] get(Table table, byte[] key);

  /**
   * The rows with {@code from <= key < to}, as of this call, before the first of them. The cursor
   * must be closed.
   *
   * @param to null: to the end of the table; not above {@code from}: no rows
   * @param reverse from the last row to the first
   * @throws IllegalStateException if this, or the tables, are closed
   */
  TableCursor scan(Table table, byte[] from, byte @Nullable [] to, boolean reverse);

  /**
   * Looks whether every row can be read, by the fastest way there is.
   *
   * @throws java.io.UncheckedIOException as {@link #get}; a {@link CorruptTablesException} if there
   *     are damaged bytes
   */
  default void checkReadable(Table table) {
    try (TableCursor rows = scan(table, new byte[0], null, false)) {
      while (rows.next()) {
        byte[] unusedRow = rows.value();
      }
    }
  }
}
