package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;

/** Tables of which the n-th call fails, before or after it had its effect (SQLite's way). */
final class FaultyTables implements Tables {
  /** How a call fails. */
  enum Fault {
    /** The disk said no and did nothing. */
    BEFORE,
    /** The disk did it, and said no. */
    AFTER,
    /** The heap ran out before the call (FAULTS F160). */
    OUT_OF_MEMORY
  }

  private final Tables tables;
  private final Fault fault;
  private int left;
  private int gets;

  FaultyTables(Tables tables, Fault fault, int failingCall) {
    this.tables = tables;
    this.fault = fault;
    this.left = failingCall;
  }

  /** Whether the failing call has come. */
  boolean failed() {
    return left <= 0;
  }

  /** How many rows were read one by one. */
  int gets() {
    return gets;
  }

  private <T> T call(Supplier<T> call) {
    left--;
    if (left == 0 && fault == Fault.BEFORE) {
      throw new UncheckedIOException(new IOException("planted before"));
    }
    if (left == 0 && fault == Fault.OUT_OF_MEMORY) {
      throw new OutOfMemoryError("planted");
    }
    T result = call.get();
    if (left == 0) {
      if (result instanceof TableCursor cursor) {
        cursor.close();
      }
      if (result instanceof TableSnapshot snapshot) {
        snapshot.close();
      }
      throw new UncheckedIOException(new IOException("planted after"));
    }
    return result;
  }

  private void run(Runnable call) {
    call(
        () -> {
          call.run();
          return 0;
        });
  }

  @Override
  public TableBatch batch() {
    TableBatch batch = tables.batch();
    return new Batch(batch);
  }

  @Override
  public void write(TableBatch batch) {
    run(() -> tables.write(((Batch) batch).batch()));
  }

  @Override
  public void flush() {
    run(tables::flush);
  }

  @Override
  public void flushSoon() {
    run(tables::flushSoon);
  }

  @Override
  public void remove(Table table, List<byte[]> keys, List<RowRange> emptied) {
    run(() -> tables.remove(table, keys, emptied));
  }

  @Override
  public byte[] flushed(Table table, byte[] key) {
    return call(() -> tables.flushed(table, key));
  }

  @Override
  public byte[] get(Table table, byte[] key) {
    gets++;
    return call(() -> tables.get(table, key));
  }

  @Override
  public TableCursor scan(Table table, byte[] from, byte[] to, boolean reverse) {
    return call(() -> new Cursor(tables.scan(table, from, to, reverse)));
  }

  @Override
  public TableSnapshot snapshot() {
    return call(() -> new Snapshot(tables.snapshot()));
  }

  @Override
  public void checkpoint(Disk target) {
    run(() -> tables.checkpoint(target));
  }

  @Override
  public void close() {
    run(tables::close);
  }

  @Override
  public void retire() {
    run(tables::retire);
  }

  @Override
  public void abandon() {
    tables.abandon();
  }

  private final class Batch implements TableBatch {
    private final TableBatch batch;

    Batch(TableBatch batch) {
      this.batch = batch;
    }

    TableBatch batch() {
      return batch;
    }

    @Override
    public void put(Table table, byte[] key, byte[] value) {
      run(() -> batch.put(table, key, value));
    }

    @Override
    public void delete(Table table, byte[] key) {
      run(() -> batch.delete(table, key));
    }

    @Override
    public int sizeBytes() {
      return batch.sizeBytes();
    }
  }

  private final class Cursor implements TableCursor {
    private final TableCursor cursor;

    Cursor(TableCursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public boolean next() {
      return call(cursor::next);
    }

    @Override
    public byte[] key() {
      return cursor.key();
    }

    @Override
    public byte[] value() {
      return cursor.value();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  private final class Snapshot implements TableSnapshot {
    private final TableSnapshot snapshot;

    Snapshot(TableSnapshot snapshot) {
      this.snapshot = snapshot;
    }

    @Override
    public byte[] get(Table table, byte[] key) {
      return call(() -> snapshot.get(table, key));
    }

    @Override
    public TableCursor scan(Table table, byte[] from, byte[] to, boolean reverse) {
      return call(() -> new Cursor(snapshot.scan(table, from, to, reverse)));
    }

    @Override
    public void close() {
      snapshot.close();
    }
  }
}
