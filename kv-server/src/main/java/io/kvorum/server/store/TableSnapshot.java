package io.kvorum.server.store;

/**
 * All tables as they were at one instant between two batches. Holds up the close of its tables (for
 * a bounded time) until it is closed itself. May be used on any thread.
 */
public interface TableSnapshot extends TableReader, AutoCloseable {
  /** Closing twice is allowed. Cursors of this snapshot stay usable. */
  @Override
  void close();
}
