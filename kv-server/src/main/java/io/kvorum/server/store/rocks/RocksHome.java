package io.kvorum.server.store.rocks;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.TablesHome;
import io.kvorum.server.store.WholeTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/** The home of {@link RocksTables}: a directory, which is RocksDB's alone. */
public final class RocksHome implements TablesHome {
  static {
    RocksLibrary.load();
  }

  /** Below the directory, with a number: copies to look into. */
  private static final String LOOK = "look-";

  /** Whoever looks into a checkpoint reads few rows, or each row once. */
  private static final long LOOK_CACHE_BYTES = 1 << 20;

  private final RealDisk directory;
  private final RocksSettings settings;
  private final AtomicLong looks = new AtomicLong();
  private @Nullable RocksTables opened;

  private RocksHome(RealDisk directory, RocksSettings settings) {
    this.directory = directory;
    this.settings = settings;
  }

  /**
   * The home in a directory.
   *
   * @throws IllegalArgumentException if that is none of the operating system's
   */
  public static RocksHome in(Disk directory, RocksSettings settings) {
    if (!(directory instanceof RealDisk real)) {
      throw new IllegalArgumentException("RocksDB cannot keep files in " + directory.location());
    }
    return new RocksHome(real, settings);
  }

  @Override
  public RocksTables open() {
    sweep();
    RocksTables tables = RocksTables.open(directory, settings);
    opened = tables;
    return tables;
  }

  @Override
  public boolean isEmpty() {
    return !directory.exists(TableFiles.CURRENT);
  }

  @Override
  public void replace(Disk files) {
    if (!files.exists(TableFiles.CURRENT)) {
      throw new UncheckedIOException(
          new IOException(files.location() + " holds no checkpoint: nothing was replaced"));
    }
    if (opened != null) {
      opened.retire();
    }
    sweep();
    TableFiles.delete(directory);
    new TableFiles(() -> {}).copy(files, directory);
  }

  /** Removes what a process has left behind that has ended meanwhile. */
  private void sweep() {
    for (String name : directory.directories()) {
      if (name.equals(RocksTables.SCRATCH)
          || name.equals(RocksTables.REMOVALS)
          || name.startsWith(LOOK)) {
        directory.deleteDirectory(name);
      }
    }
  }

  /** {@inheritDoc} The blocks of a table file have checksums of their own. */
  @Override
  public @Nullable String damage(Disk files, String name) {
    if (!name.endsWith(TableFiles.TABLE)) {
      return null;
    }
    try (Handles handles = new Handles()) {
      Options options = handles.add(new Options());
      SstFileReader reader = handles.add(new SstFileReader(options));
      reader.open(files.location() + "/" + name);
      reader.verifyChecksum();
      return null;
    } catch (RocksDBException found) {
      return found.getMessage();
    }
  }

  @Override
  public TableSnapshot peek(Disk files) {
    RocksSettings small = settings.withBlockCacheBytes(LOOK_CACHE_BYTES);
    if (files instanceof RealDisk real) {
      return new WholeTables(RocksTables.openReadOnly(real, small), () -> {});
    }
    String name = LOOK + looks.incrementAndGet();
    boolean complete = false;
    try {
      RealDisk copy = (RealDisk) directory.directory(name);
      new TableFiles(() -> {}).copy(files, copy);
      TableSnapshot found =
          new WholeTables(
              RocksTables.openReadOnly(copy, small), () -> directory.deleteDirectory(name));
      complete = true;
      return found;
    } finally {
      if (!complete) {
        directory.deleteDirectory(name);
      }
    }
  }
}
