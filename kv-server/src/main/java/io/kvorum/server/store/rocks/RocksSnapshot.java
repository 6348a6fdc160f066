package io.kvorum.server.store.rocks;

import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableSnapshot;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/** A RocksDB snapshot. Its methods exclude each other, so a close never meets a read. */
final class RocksSnapshot implements TableSnapshot {
  private final RocksTables tables;
  private final Handles handles = new Handles();
  private final Snapshot snapshot;
  private final ReadOptions options;
  private final Pins pins;
  private final long pin;
  private boolean closed;

  RocksSnapshot(RocksTables tables, Pins pins) {
    this.tables = tables;
    this.pins = pins;
    tables.readers().enter();
    pin = pins.open();
    snapshot = tables.database().getSnapshot();
    options = handles.add(new ReadOptions()).setSnapshot(snapshot);
  }

  @Override
  public synchronized byte @Nullable [] get(Table table, byte[] key) {
    checkOpen();
    return tables.get(options, table, key);
  }

  @Override
  public synchronized TableCursor scan(
      Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    checkOpen();
    return new RocksCursor(tables, new RocksCursor.Bounds(table, from, to, reverse), snapshot);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("snapshot is closed");
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      handles.close();
      tables.database().releaseSnapshot(snapshot);
      pins.close(pin);
      tables.readers().leave();
    }
  }
}
