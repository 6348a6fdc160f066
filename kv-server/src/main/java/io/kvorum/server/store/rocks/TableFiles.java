package io.kvorum.server.store.rocks;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.RealDisk;
import java.nio.ByteBuffer;

/**
 * Brings the files of a database to another directory. RocksDB writes a table file or a blob file
 * once, and only ever deletes it: such a file is given a second name where both directories are the
 * operating system's. To the others it may append, so these are copied.
 */
final class TableFiles {
  /**
   * Names the others: without it there is no database. So it goes first where one is taken away,
   * and comes last where one is made.
   */
  static final String CURRENT = "CURRENT";

  private static final int CHUNK_BYTES = 1 << 20;

  private final Runnable check;

  /**
   * @param check asked before each file; throws to end this
   */
  TableFiles(Runnable check) {
    this.check = check;
  }

  /** On return they are in the target, durably. */
  void copy(Disk from, Disk target) {
    for (String name : from.list()) {
      check.run();
      if (name.equals(CURRENT)) {
        continue;
      }
      boolean isImmutable = name.endsWith(".sst") || name.endsWith(".blob");
      if (isImmutable && from instanceof RealDisk && target instanceof RealDisk) {
        from.link(name, target);
      } else {
        copy(name, from, target);
      }
    }
    // All that it names is there for good before it is.
    target.syncDirectory();
    target.replace(CURRENT, from.read(CURRENT));
  }

  private static void copy(String name, Disk from, Disk target) {
    try (DiskFile source = from.open(name);
        DiskFile copy = target.create(name, 0)) {
      long size = source.size();
      for (long at = 0; at < size; at += CHUNK_BYTES) {
        ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, size - at));
        source.read(at, chunk);
        copy.write(at, chunk.flip());
      }
      copy.sync();
    }
  }

  /** On return there is no database, durably, and none of its files. */
  static void delete(Disk from) {
    if (from.exists(CURRENT)) {
      from.delete(CURRENT);
      from.syncDirectory();
    }
    from.list().forEach(from::delete);
  }
}
