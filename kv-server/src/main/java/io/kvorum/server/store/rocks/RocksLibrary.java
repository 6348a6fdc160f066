package io.kvorum.server.store.rocks;

import io.kvorum.disk.RealDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RocksDB's native library. The jar holds it as a file that must be unpacked to be loaded; left to
 * itself, RocksDB deletes that file when the JVM ends in peace, and each process that is killed
 * leaves 15 MB behind. Here it is deleted as soon as it is loaded: what a process has mapped stays
 * there for it without a name, and the system frees it when the process is gone, however it ends.
 *
 * <p>Each process unpacks into a directory of its own, so that two may start at once.
 */
final class RocksLibrary {
  private static final Logger LOG = LoggerFactory.getLogger(RocksLibrary.class);

  /** Where RocksDB is to unpack, by the will of whoever starts us; then it is left to RocksDB. */
  private static final String CHOSEN_DIRECTORY = "ROCKSDB_SHAREDLIB_DIR";

  static final String PREFIX = "kvorum-rocksdb-";

  static {
    if (System.getenv(CHOSEN_DIRECTORY) == null) {
      unpackAndLoad();
    }
    // Finds what is loaded, and marks it as such.
    RocksDB.loadLibrary();
  }

  private RocksLibrary() {}

  /** Loads it, unless it is loaded. Before anything else of RocksDB's is touched. */
  static void load() {
    // The work was done once, when this class was initialized.
  }

  private static void unpackAndLoad() {
    RealDisk unpacked = RealDisk.temporary(PREFIX);
    try {
      NativeLibraryLoader.getInstance().loadLibrary(unpacked.location());
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot unpack RocksDB's library to " + unpacked, failed);
    } finally {
      delete(unpacked.path());
    }
  }

  private static void delete(Path directory) {
    RealDisk parent = RealDisk.at(directory.resolveSibling("."));
    try {
      parent.deleteDirectory(String.valueOf(directory.getFileName()));
    } catch (UncheckedIOException inUse) {
      // Not every system lets go of a file's name while it is mapped. Then the end of the JVM does.
      LOG.debug("{} stays until this process ends", directory, inUse);
    }
  }
}
