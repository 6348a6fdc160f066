package io.kvorum.server.store.rocks;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.CorruptTablesException;
import io.kvorum.server.store.Readers;
import io.kvorum.server.store.RowRange;
import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import io.kvorum.server.store.TableCursor;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The tables as column families of one RocksDB, its own log switched off.
 *
 * <p>Every use of a native object is between an enter and a leave of {@link Readers}, and the
 * native objects end only when nobody is inside: whoever comes later meets an exception, never a
 * freed pointer (FAULTS F157).
 */
public final class RocksTables implements Tables {
  static {
    RocksLibrary.load();
  }

  /** Below the directory of a database; what is found there at the start is of no use. */
  static final String SCRATCH = "checkpoint";

  /** The same. */
  static final String REMOVALS = "removals";

  private final RealDisk directory;
  private final RocksDamage damage;
  private final RocksSettings settings;
  private final Readers readers;
  private final RocksDB database;
  private final Map<Table, ColumnFamilyHandle> families = new EnumMap<>(Table.class);
  private final Map<Table, Integer> familyIds = new EnumMap<>(Table.class);
  private final WriteOptions writeOptions;
  private final ReadOptions readOptions;
  private final ReadOptions flushedOptions;
  private final Object checkpoints = new Object();
  private final Pins pins = new Pins();

  /** How a database is opened. */
  @FunctionalInterface
  private interface Opening {
    RocksDB open(
        DBOptions options,
        String path,
        List<ColumnFamilyDescriptor> wanted,
        List<ColumnFamilyHandle> found)
        throws RocksDBException;
  }

  /**
   * Opens the tables in a directory; makes them if it holds none.
   *
   * @throws CorruptTablesException if they are damaged, by what shows now or has shown before
   * @throws UncheckedIOException if it fails otherwise: another process uses it, it is no RocksDB,
   *     is unreadable, is full
   */
  public static RocksTables open(RealDisk directory, RocksSettings settings) {
    RocksDamage.check(directory);
    return open(directory, settings, RocksDB::open, new RocksDamage(directory, true));
  }

  /** Opens tables to read, and changes nothing in the directory, which must hold them. */
  static RocksTables openReadOnly(RealDisk directory, RocksSettings settings) {
    return open(directory, settings, RocksDB::openReadOnly, new RocksDamage(directory, false));
  }

  private static RocksTables open(
      RealDisk directory, RocksSettings settings, Opening opening, RocksDamage damage) {
    Handles handles = new Handles();
    boolean opened = false;
    try {
      RocksTables tables = new RocksTables(directory, settings, handles, opening, damage);
      opened = true;
      return tables;
    } catch (RocksDBException failed) {
      throw damage.failure("cannot be opened", failed);
    } finally {
      if (!opened) {
        handles.close();
      }
    }
  }

  private RocksTables(
      RealDisk directory,
      RocksSettings settings,
      Handles handles,
      Opening opening,
      RocksDamage damage)
      throws RocksDBException {
    this.directory = directory;
    this.damage = damage;
    this.settings = settings;
    RocksOptions options = new RocksOptions(handles, settings);
    List<ColumnFamilyDescriptor> wanted = new ArrayList<>();
    wanted.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options.unused()));
    for (Table table : Table.values()) {
      wanted.add(new ColumnFamilyDescriptor(table.labelBytes(), options.family(table)));
    }
    writeOptions = handles.add(new WriteOptions()).setDisableWAL(true);
    readOptions = handles.add(new ReadOptions());
    flushedOptions = handles.add(new ReadOptions()).setReadTier(ReadTier.PERSISTED_TIER);
    List<ColumnFamilyHandle> found = new ArrayList<>();
    database = handles.add(opening.open(options.database(), directory.location(), wanted, found));
    found.forEach(handles::add);
    int next = 1;
    for (Table table : Table.values()) {
      ColumnFamilyHandle family = found.get(next++);
      families.put(table, family);
      familyIds.put(table, family.getID());
    }
    readers = new Readers("the store in " + directory.location(), handles::close);
  }

  @Override
  public TableBatch batch() {
    return new RocksBatch(this, familyIds);
  }

  @Override
  public void write(TableBatch batch) {
    if (!(batch instanceof RocksBatch own) || !own.isFor(this)) {
      throw new IllegalArgumentException("a batch of other tables: " + batch);
    }
    readers.enter();
    try (Handles handles = new Handles()) {
      database.write(writeOptions, handles.add(new WriteBatch(own.serialized())));
    } catch (RocksDBException failed) {
      throw failure("write failed", failed);
    } finally {
      readers.leave();
    }
  }

  @Override
  public void flush() {
    flush(true);
  }

  @Override
  public void flushSoon() {
    flush(false);
  }

  private void flush(boolean waits) {
    readers.enter();
    try (Handles handles = new Handles()) {
      // Who does not wait for the flush does not wait for room to begin it either.
      FlushOptions options =
          handles.add(new FlushOptions()).setWaitForFlush(waits).setAllowWriteStall(!waits);
      database.flush(options, List.copyOf(families.values()));
    } catch (RocksDBException failed) {
      throw failure("flush failed", failed);
    } finally {
      readers.leave();
    }
  }

  /**
   * {@inheritDoc} Files in emptied ranges are dropped. The other rows get a file of removals of
   * their own, which is merged with what it removes. In the memory beside new rows they would be
   * flushed to one file with these, which then spans all of the history, and all of it would have
   * to be merged with it.
   */
  @Override
  public void remove(Table table, List<byte[]> keys, List<RowRange> emptied) {
    readers.enter();
    try (Handles handles = new Handles()) {
      ColumnFamilyHandle family = family(table);
      List<byte[]> others = new DeadFiles(database, family, table).dropAllIn(emptied, keys);
      if (!others.isEmpty()) {
        removeByFile(handles, family, others);
      }
    } catch (RocksDBException failed) {
      throw failure("removal from " + table.label() + " failed", failed);
    } finally {
      readers.leave();
    }
  }

  private void removeByFile(Handles handles, ColumnFamilyHandle family, List<byte[]> keys)
      throws RocksDBException {
    Disk scratch = directory.directory(REMOVALS);
    String path = scratch.location() + "/" + REMOVALS + TableFiles.TABLE;
    SstFileWriter writer =
        handles.add(
            new SstFileWriter(handles.add(new EnvOptions()), RocksOptions.removals(handles)));
    writer.open(path);
    for (byte[] key : keys) {
      writer.delete(key);
    }
    writer.finish();
    IngestExternalFileOptions options = handles.add(new IngestExternalFileOptions());
    database.ingestExternalFile(family, List.of(path), options.setMoveFiles(true));
  }

  @Override
  public byte @Nullable [] flushed(Table table, byte[] key) {
    return get(flushedOptions, table, key);
  }

  @Override
  public byte @Nullable [] get(Table table, byte[] key) {
    return get(readOptions, table, key);
  }

  /** Reads with options that the caller keeps alive during the call. */
  byte @Nullable [] get(ReadOptions options, Table table, byte[] key) {
    readers.enter();
    try {
      return database.get(family(table), options, key);
    } catch (RocksDBException failed) {
      throw failure("read of " + table.label() + " failed", failed);
    } finally {
      readers.leave();
    }
  }

  /**
   * {@inheritDoc} RocksDB looks at the checksums of all blocks itself, of all tables; not at those
   * of values that lie outside of them.
   */
  @Override
  public void checkReadable(Table table) {
    readers.enter();
    boolean hasOutside;
    try {
      database.verifyChecksum();
      hasOutside = database.getLongProperty(family(table), DeadFiles.BLOB_FILES) > 0;
    } catch (RocksDBException failed) {
      throw failure("check of " + table.label() + " failed", failed);
    } finally {
      readers.leave();
    }
    if (hasOutside) {
      Tables.super.checkReadable(table);
    }
  }

  @Override
  public TableCursor scan(Table table, byte[] from, byte @Nullable [] to, boolean reverse) {
    return new RocksCursor(this, new RocksCursor.Bounds(table, from, to, reverse), null);
  }

  @Override
  public TableSnapshot snapshot() {
    return new RocksSnapshot(this, pins);
  }

  @Override
  public BooleanSupplier unpinned() {
    return pins.released();
  }

  /**
   * {@inheritDoc}
   *
   * <p>RocksDB flushes all tables at one point between two batches, and then makes a directory of
   * its own, in ours, with names for the same files. From there they go on to the target.
   */
  @Override
  public void checkpoint(Disk target) {
    readers.enter();
    try {
      synchronized (checkpoints) {
        checkpointInScratch(target);
      }
    } finally {
      readers.leave();
    }
  }

  private void checkpointInScratch(Disk target) {
    directory.deleteDirectory(SCRATCH);
    try (Handles handles = new Handles()) {
      Disk scratch = directory.directory(SCRATCH);
      Checkpoint checkpoint = handles.add(Checkpoint.create(database));
      checkpoint.createCheckpoint(scratch.location() + "/" + SCRATCH);
      new TableFiles(readers::checkOpen).copy(scratch.directory(SCRATCH), target);
    } catch (RocksDBException failed) {
      throw failure("checkpoint failed", failed);
    } finally {
      directory.deleteDirectory(SCRATCH);
    }
  }

  @Override
  public void condemn(CorruptTablesException found) {
    if (readers.tryEnter()) {
      try {
        damage.mark(String.valueOf(found.getMessage()), found);
      } finally {
        readers.leave();
      }
    }
  }

  @Override
  public void close() {
    readers.closeAndAwait(settings.closeWait());
  }

  /** {@inheritDoc} The files are one database's at a time: so it waits, like {@link #close}. */
  @Override
  public void retire() {
    readers.retire();
    readers.closeAndAwait(settings.closeWait());
  }

  @Override
  public void abandon() {
    readers.close();
  }

  Readers readers() {
    return readers;
  }

  RocksDB database() {
    return database;
  }

  ColumnFamilyHandle family(Table table) {
    ColumnFamilyHandle family = families.get(table);
    if (family == null) {
      throw new AssertionError("no column family for " + table);
    }
    return family;
  }

  UncheckedIOException failure(String what, RocksDBException cause) {
    return damage.failure(what, cause);
  }
}
