package io.kvorum.server.store.rocks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.RealDisk;
import io.kvorum.server.store.CorruptTablesException;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * What a failure of RocksDB means. Where it has met damage, the directory is marked: RocksDB reads
 * most of its files only when somebody asks for what is in them, so the next start would open them
 * and meet the same again.
 */
public final class RocksDamage {
  /** In a directory that was found damaged: what was found. Not a name of RocksDB's. */
  private static final String MARK = "kvorum-damaged";

  private final RealDisk directory;
  private final boolean marks;

  /**
   * @param marks whether the directory is the tables' own
   */
  RocksDamage(RealDisk directory, boolean marks) {
    this.directory = directory;
    this.marks = marks;
  }

  /**
   * Throws if the directory was found damaged before, or RocksDB would take what is there for
   * nothing, and begin anew beside it.
   */
  public static void check(RealDisk directory) {
    if (directory.exists(MARK)) {
      String found = new String(directory.read(MARK), UTF_8);
      throw new CorruptTablesException(found, new IOException(found));
    }
    boolean isHeadless =
        !directory.exists(TableFiles.CURRENT)
            && directory.list().stream().anyMatch(name -> name.endsWith(TableFiles.TABLE));
    if (isHeadless) {
      String found =
          "the store in %s: the file %s is missing, which names all others"
              .formatted(directory.location(), TableFiles.CURRENT);
      throw new CorruptTablesException(found, new IOException(found));
    }
  }

  /** The failure as whoever uses tables meets it. */
  UncheckedIOException failure(String what, RocksDBException cause) {
    String message =
        "the store in " + directory.location() + ": " + what + ": " + cause.getMessage();
    IOException failed = new IOException(message, cause);
    if (isDamage(cause)) {
      CorruptTablesException damaged = new CorruptTablesException(message, failed);
      mark(message, damaged);
      return damaged;
    }
    // What it says of its own files carries the code; what wraps that, only the system's text.
    return message.contains("No space left on device")
        ? new DiskFullException(message, failed)
        : new UncheckedIOException(message, failed);
  }

  /** A file that is missing is damage, too: RocksDB names them all in one of them. */
  private static boolean isDamage(RocksDBException cause) {
    Status status = cause.getStatus();
    return status != null
        && (status.getCode() == Status.Code.Corruption
            || String.valueOf(cause.getMessage()).contains("No such file or directory"));
  }

  /** Notes it for whoever opens the directory next. */
  void mark(String message, CorruptTablesException damaged) {
    if (!marks) {
      return;
    }
    try {
      directory.replace(MARK, message.getBytes(UTF_8));
    } catch (UncheckedIOException notMarked) {
      // Then the next start finds the damage by itself, or meets it where this one did.
      damaged.addSuppressed(notMarked);
    }
  }
}
