package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.disk.Disk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables on the heap, which forget at {@link #crash()} what was not flushed: for the simulator and
 * tests.
 *
 * <p>A snapshot, a cursor and a flush share the maps as they are; the next write copies those it
 * touches first. So a shared map never changes, and small states are what this is for.
 */
public final class MemoryTables implements Tables {
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(10);

  private final Readers readers = new Readers("memory tables", () -> {});
  private final int writesPerFlush;
  private final EnumMap<Table, NavigableMap<byte[], byte[]>> now;
  private final Set<Table> shared = EnumSet.allOf(Table.class);
  private EnumMap<Table, NavigableMap<byte[], byte[]>> durable;
  private int writesSinceFlush;
  private final Set<Snapshot> open = ConcurrentHashMap.newKeySet();

  /** Empty tables that are durable only when flushed. */
  public MemoryTables() {
    this(0);
  }

  /**
   * Empty tables.
   *
   * @param writesPerFlush flush by itself after so many batches, as a store on disk does when its
   *     memory is full; 0: never
   */
  public MemoryTables(int writesPerFlush) {
    this(empty(), writesPerFlush);
  }

  /** What a checkpoint of such tables holds, durable. */
  static MemoryTables read(Disk files, int writesPerFlush) {
    EnumMap<Table, NavigableMap<byte[], byte[]>> found = empty();
    MemoryFile.read(files, (table, key, value) -> map(found, table).put(key, value));
    return new MemoryTables(found, writesPerFlush);
  }

  private MemoryTables(EnumMap<Table, NavigableMap<byte[], byte[]>> found, int writesPerFlush) {
    this.now = new EnumMap<>(found);
    this.durable = found;
    this.writesPerFlush = writesPerFlush;
  }

  private static EnumMap<Table, NavigableMap<byte[], byte[]>> empty() {
    EnumMap<Table, NavigableMap<byte[], byte[]>> maps = new EnumMap<>(Table.class);
    for (Table table : Table.values()) {
      maps.put(table, new TreeMap<>(Arrays::compareUnsigned));
    }
    return maps;
  }

  /**
   * The tables as the next process finds them: with what was flushed and nothing else. These ones
   * are abandoned.
   */
  public synchronized MemoryTables crash() {
    readers.close();
    return new MemoryTables(durable, writesPerFlush);
  }

  @Override
  public TableBatch batch() {
    return new Batch();
  }

  @Override
  public synchronized void write(TableBatch batch) {
    readers.checkOpen();
    if (!(batch instanceof Batch own)) {
      throw new IllegalArgumentException("a batch of other tables: " + batch.getClass());
    }
    for (Change change : own.changes) {
      NavigableMap<byte[], byte[]> map = writable(change.table());
      if (change.value() == null) {
        map.remove(change.key());
      } else {
        map.put(change.key(), change.value());
      }
    }
    writesSinceFlush++;
    if (writesSinceFlush == writesPerFlush) {
      flush();
    }
  }

  private NavigableMap<byte[], byte[]> writable(Table table) {
    if (shared.remove(table)) {
      now.put(table, new TreeMap<>(map(now, table)));
    }
    return map(now, table);
  }

  @Override
  public synchronized void flush() {
    readers.checkOpen();
    durable = share();
    writesSinceFlush = 0;
  }

  /**
   * {@inheritDoc} Here they always are, and whatever is in an emptied range goes: the worst that
   * may happen.
   */
  @Override
  public synchronized void remove(Table table, List<byte[]> keys, List<RowRange> emptied) {
    readers.checkOpen();
    EnumMap<Table, NavigableMap<byte[], byte[]>> kept = new EnumMap<>(durable);
    kept.put(table, without(map(kept, table), keys, emptied));
    durable = kept;
    now.put(table, without(map(now, table), keys, emptied));
    shared.remove(table);
    open.forEach(snapshot -> snapshot.lose(table, emptied));
  }

  private static NavigableMap<byte[], byte[]> without(
      NavigableMap<byte[], byte[]> rows, List<byte[]> keys, List<RowRange> emptied) {
    NavigableMap<byte[], byte[]> left = new TreeMap<>(rows);
    keys.forEach(left::remove);
    emptied.forEach(range -> left.subMap(range.first(), true, range.last(), true).clear());
    return left;
  }

  private EnumMap<Table, NavigableMap<byte[], byte[]>> share() {
    shared.addAll(EnumSet.allOf(Table.class));
    return new EnumMap<>(now);
  }

  @Override
  public synchronized byte @Nullable [] flushed(Table table, byte[] key) {
    readers.checkOpen();
    return map(durable, table).get(key);
  }

  @Override
  public synchronized byte @Nullable [] get(Table table, byte[] key) {
    readers.checkOpen();
    return map(now, table).get(key);
  }

  @Override
  public synchronized TableCursor scan(
      Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    shared.add(table);
    return new Cursor(map(now, table), from, to, reverse);
  }

  @Override
  public synchronized TableSnapshot snapshot() {
    Snapshot snapshot = new Snapshot(share());
    open.add(snapshot);
    return snapshot;
  }

  @Override
  public synchronized BooleanSupplier unpinned() {
    List<Snapshot> pinned = List.copyOf(open);
    return () -> pinned.stream().noneMatch(open::contains);
  }

  /**
   * One byte of one user's value changes that nobody has written, here and in what is durable.
   *
   * @param position which one of the keys that have a value in their row, from 0 to 1
   * @return false if there is none
   */
  synchronized boolean flip(double position) {
    List<byte[]> keys = new ArrayList<>();
    map(now, Table.LATEST).forEach((key, row) -> addIfFlippable(keys, key, row));
    if (keys.isEmpty()) {
      return false;
    }
    byte[] key = keys.get(Math.min(keys.size() - 1, (int) (position * keys.size())));
    writable(Table.LATEST).computeIfPresent(key, (same, row) -> flipped(row));
    EnumMap<Table, NavigableMap<byte[], byte[]>> kept = new EnumMap<>(durable);
    NavigableMap<byte[], byte[]> keptRows = new TreeMap<>(map(kept, Table.LATEST));
    keptRows.computeIfPresent(key, (same, row) -> flipped(row));
    kept.put(Table.LATEST, keptRows);
    durable = kept;
    return true;
  }

  private static void addIfFlippable(List<byte[]> keys, byte[] key, byte[] row) {
    Bytes value = LatestRow.decode(row).value();
    if (value != null && value.size() > 0) {
      keys.add(key);
    }
  }

  /** The value is what a row ends with. */
  private static byte[] flipped(byte[] row) {
    byte[] flipped = row.clone();
    flipped[flipped.length - 1] ^= 1;
    return flipped;
  }

  @Override
  public void checkpoint(Disk target) {
    EnumMap<Table, NavigableMap<byte[], byte[]>> moment;
    synchronized (this) {
      flush();
      moment = durable;
    }
    MemoryFile.write(target, moment);
  }

  @Override
  public void close() {
    readers.closeAndAwait(CLOSE_WAIT);
  }

  @Override
  public void retire() {
    readers.retire();
  }

  @Override
  public void abandon() {
    readers.close();
  }

  private static NavigableMap<byte[], byte[]> map(
      EnumMap<Table, NavigableMap<byte[], byte[]>> maps, Table table) {
    NavigableMap<byte[], byte[]> map = maps.get(table);
    if (map == null) {
      throw new AssertionError("no map for " + table);
    }
    return map;
  }

  /** One row set, or removed when the value is null. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; the arrays go into the maps.
  private record Change(Table table, byte[] key, byte @Nullable [] value) {}

  private static final class Batch implements TableBatch {
    private final List<Change> changes = new ArrayList<>();
    private int sizeBytes;

    @Override
    public void put(Table table, byte[] key, byte[] value) {
      changes.add(new Change(table, key, value));
      sizeBytes += 1 + key.length + value.length;
    }

    @Override
    public void delete(Table table, byte[] key) {
      changes.add(new Change(table, key, null));
      sizeBytes += 1 + key.length;
    }

    @Override
    public int sizeBytes() {
      return sizeBytes;
    }
  }

  private final class Snapshot implements TableSnapshot {
    private final EnumMap<Table, NavigableMap<byte[], byte[]>> maps;
    private boolean closed;

    Snapshot(EnumMap<Table, NavigableMap<byte[], byte[]>> maps) {
      readers.enter();
      this.maps = maps;
    }

    @Override
    public synchronized byte @Nullable [] get(Table table, byte[] key) {
      checkOpen();
      return map(maps, table).get(key);
    }

    @Override
    public synchronized TableCursor scan(
        Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
      checkOpen();
      return new Cursor(map(maps, table), from, to, reverse);
    }

    private void checkOpen() {
      if (closed) {
        throw new IllegalStateException("snapshot is closed");
      }
      readers.checkOpen();
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        open.remove(this);
        readers.leave();
      }
    }

    /** Files go with all that is in them, whoever may still look. */
    private synchronized void lose(Table table, List<RowRange> emptied) {
      maps.put(table, without(map(maps, table), List.of(), emptied));
    }
  }

  private final class Cursor implements TableCursor {
    private final Iterator<Map.Entry<byte[], byte[]>> rows;
    private Map.@Nullable Entry<byte[], byte[]> row;
    private boolean closed;

    Cursor(NavigableMap<byte[], byte[]> map, byte[] from, byte @Nullable [] to, boolean reverse) {
      readers.enter();
      NavigableMap<byte[], byte[]> range = map.tailMap(from, true);
      if (to != null) {
        boolean none = Arrays.compareUnsigned(from, to) >= 0;
        range = none ? new TreeMap<>(Arrays::compareUnsigned) : map.subMap(from, true, to, false);
      }
      rows = (reverse ? range.descendingMap() : range).entrySet().iterator();
    }

    @Override
    public synchronized boolean next() {
      if (closed) {
        throw new IllegalStateException("cursor is closed");
      }
      readers.checkOpen();
      row = rows.hasNext() ? rows.next() : null;
      return row != null;
    }

    @Override
    public synchronized byte[] key() {
      return row().getKey();
    }

    @Override
    public synchronized byte[] value() {
      return row().getValue();
    }

    private Map.Entry<byte[], byte[]> row() {
      if (closed) {
        throw new IllegalStateException("cursor is closed");
      }
      if (row == null) {
        throw new NoSuchElementException("no row: next() did not find one");
      }
      return row;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        readers.leave();
      }
    }
  }
}
