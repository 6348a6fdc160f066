package io.kvorum.server.store;

/**
 * A position in the rows of a scan. Used by one thread at a time, not always the same; only {@link
 * #close()} may come from any thread at any time.
 */
public interface TableCursor extends AutoCloseable {
  /**
   * Moves to the next row, to the first one at first.
   *
   * @return false when there is none
   * @throws IllegalStateException if the cursor is closed, or the tables are being closed: a long
   *     scan does not hold up the close
   * @throws java.io.UncheckedIOException if the disk fails or holds damaged bytes
   */
  boolean next();

  /** The key of the row that {@link #next()} found. */
  byte[] key();

  /** The value of the row that {@link #next()} found. */
  byte[] value();

  @Override
  void close();
}
