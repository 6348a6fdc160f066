package io.kvorum.simulator.cli;

import io.kvorum.disk.Disk;
import io.kvorum.server.store.RowRange;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables of a process that may be killed at any time: then what it has open ends with it. They
 * flush after so many batches, whatever size these have.
 */
final class KillableTables implements Tables {
  private final Tables tables;
  private final int writesPerFlush;

  /** Snapshots and cursors, also those that are closed: to close one again is allowed. */
  private final List<Runnable> opened = Collections.synchronizedList(new ArrayList<>());

  private int writesSinceFlush;
  private volatile boolean isKilled;

  /**
   * @param writesPerFlush 0: they never flush by themselves
   */
  KillableTables(Tables tables, int writesPerFlush) {
    this.tables = tables;
    this.writesPerFlush = writesPerFlush;
  }

  @Override
  public TableBatch batch() {
    return tables.batch();
  }

  @Override
  public void write(TableBatch batch) {
    tables.write(batch);
    writesSinceFlush++;
    if (writesSinceFlush == writesPerFlush) {
      flush();
    }
  }

  @Override
  public void flush() {
    tables.flush();
    writesSinceFlush = 0;
  }

  @Override
  public void remove(Table table, List<byte[]> keys, List<RowRange> emptied) {
    tables.remove(table, keys, emptied);
  }

  @Override
  public BooleanSupplier unpinned() {
    return tables.unpinned();
  }

  @Override
  public byte @Nullable [] flushed(Table table, byte[] key) {
    return tables.flushed(table, key);
  }

  @Override
  public TableSnapshot snapshot() {
    TableSnapshot snapshot = tables.snapshot();
    opened.add(snapshot::close);
    return new KillableSnapshot(snapshot);
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    return tables.get(table, key);
  }

  @Override
  public TableCursor scan(Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    return opened(tables.scan(table, from, to, reverse));
  }

  @Override
  public void checkpoint(Disk target) {
    tables.checkpoint(target);
    writesSinceFlush = 0;
  }

  @Override
  public void close() {
    tables.close();
  }

  @Override
  public void retire() {
    kill();
    tables.retire();
  }

  @Override
  public void abandon() {
    tables.abandon();
  }

  /** The process is gone, with all its readers. Any thread may call. */
  void kill() {
    isKilled = true;
    tables.abandon();
    opened.forEach(Runnable::run);
    opened.clear();
  }

  private TableCursor opened(TableCursor cursor) {
    opened.add(cursor::close);
    return cursor;
  }

  /** A snapshot whose cursors end with the process, too. */
  private final class KillableSnapshot implements TableSnapshot {
    private final TableSnapshot snapshot;

    KillableSnapshot(TableSnapshot snapshot) {
      this.snapshot = snapshot;
    }

    @Override
    public byte @Nullable [] get(Table table, byte[] key) {
      checkAlive();
      return snapshot.get(table, key);
    }

    /** What is killed is closed; why, the tables can tell. */
    private void checkAlive() {
      if (isKilled) {
        tables.snapshot().close();
      }
    }

    @Override
    public TableCursor scan(Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
      checkAlive();
      return opened(snapshot.scan(table, from, to, reverse));
    }

    @Override
    public void close() {
      snapshot.close();
    }
  }
}
