package io.kvorum.server.store.rocks;

import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableCursor;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/**
 * A RocksDB iterator with its bounds. Its methods exclude each other, so a close never meets a
 * read; the iterator ends before the options and bounds that it points to.
 */
final class RocksCursor implements TableCursor {
  /** What is scanned. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Bounds(Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    boolean isEmpty() {
      return to != null && Arrays.compareUnsigned(from, to) >= 0;
    }
  }

  private final RocksTables tables;
  private final Bounds bounds;
  private final Handles handles = new Handles();
  private final RocksIterator iterator;
  private boolean started;
  private boolean valid;
  private boolean closed;

  /**
   * @param snapshot alive during this call; the iterator pins what it sees
   */
  RocksCursor(RocksTables tables, Bounds bounds, @Nullable Snapshot snapshot) {
    this.tables = tables;
    this.bounds = bounds;
    tables.readers().enter();
    boolean opened = false;
    try {
      iterator = open(snapshot);
      opened = true;
    } finally {
      if (!opened) {
        handles.close();
        tables.readers().leave();
      }
    }
  }

  private RocksIterator open(@Nullable Snapshot snapshot) {
    ReadOptions options = handles.add(new ReadOptions());
    options.setIterateLowerBound(handles.add(new Slice(bounds.from())));
    if (bounds.to() != null) {
      options.setIterateUpperBound(handles.add(new Slice(bounds.to())));
    }
    if (snapshot != null) {
      options.setSnapshot(snapshot);
    }
    return handles.add(tables.database().newIterator(tables.family(bounds.table()), options));
  }

  @Override
  public synchronized boolean next() {
    if (closed) {
      throw new IllegalStateException("cursor is closed");
    }
    tables.readers().checkOpen();
    if (bounds.isEmpty() || (started && !valid)) {
      return false;
    }
    move();
    valid = iterator.isValid();
    if (!valid) {
      checkEnd();
    }
    return valid;
  }

  private void move() {
    if (!started) {
      started = true;
      if (bounds.reverse()) {
        iterator.seekToLast();
      } else {
        iterator.seekToFirst();
      }
    } else if (bounds.reverse()) {
      iterator.prev();
    } else {
      iterator.next();
    }
  }

  /** An iterator also ends when the disk fails; that must not look like the end of the rows. */
  private void checkEnd() {
    try {
      iterator.status();
    } catch (RocksDBException failed) {
      throw tables.failure("scan of " + bounds.table().label() + " failed", failed);
    }
  }

  @Override
  public synchronized byte[] key() {
    checkRow();
    return iterator.key();
  }

  @Override
  public synchronized byte[] value() {
    checkRow();
    return iterator.value();
  }

  private void checkRow() {
    if (closed) {
      throw new IllegalStateException("cursor is closed");
    }
    if (!valid) {
      throw new NoSuchElementException("no row: next() did not find one");
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      handles.close();
      tables.readers().leave();
    }
  }
}
