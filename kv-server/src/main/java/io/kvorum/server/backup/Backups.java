package io.kvorum.server.backup;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.log.ArchivedEntries;
import io.kvorum.log.CorruptArchiveException;
import io.kvorum.log.LogConfig;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.StoreLimits;
import io.kvorum.server.store.TablesHome;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Backups on this machine's file system, of states as servers keep them. */
public final class Backups {
  /** A segment that is begun here need not be large. */
  private static final int SEGMENT_BYTES = 8 << 20;

  private Backups() {}

  private static TablesHome home(Disk directory) {
    return RocksHome.in(directory, RocksSettings.DEFAULT);
  }

  /** As {@link BackupWriter#write}. */
  public static BackupWriter.Outcome write(
      BackupSource source, Path to, @Nullable Path older, Consumer<String> says) {
    Backup from = older == null ? null : open(older);
    return new BackupWriter(source, Backups::home, says).write(parent(to), name(to), from);
  }

  /**
   * Opens a backup.
   *
   * @throws BackupException if it is none, or damaged
   */
  public static Backup open(Path path) {
    Disk parent = parent(path);
    if (!parent.directories().contains(name(path))) {
      throw new BackupException(path + " is no directory");
    }
    return Backup.open(parent.directory(name(path)));
  }

  /** As {@link Backup#verify}. */
  public static StateSummary verify(Backup backup) {
    return backup.verify(Backups::home);
  }

  /** As {@link Restore#run}. */
  public static StateSummary restore(
      Backup backup, Path directory, Restore.Options options, RandomGenerator random) {
    LogConfig log =
        LogConfig.DEFAULT
            .withSegmentBytes(SEGMENT_BYTES)
            .withEntryBytesMax(StoreLimits.COMMAND_BYTES_MAX);
    return new Restore(Backups::home, log, random)
        .run(backup, parent(directory), name(directory), options);
  }

  /**
   * Whether a directory can be restored to; what {@link #restore} checks as well.
   *
   * @throws BackupException if something is there
   */
  public static void checkFree(Path directory) {
    Restore.checkFree(parent(directory), name(directory));
  }

  /**
   * What the nodes of a cluster have archived.
   *
   * @param directory which exists
   * @throws BackupException if nothing is there of that cluster
   */
  public static ArchivedEntries archive(Path directory, String clusterId) {
    try {
      return ArchivedEntries.open(RealDisk.at(directory), clusterId);
    } catch (CorruptArchiveException nothing) {
      throw new BackupException(String.valueOf(nothing.getMessage()), nothing);
    }
  }

  /** Deletes a directory and all in it; does nothing if there is none. */
  public static void delete(Path path) {
    parent(path).deleteDirectory(name(path));
    parent(path).syncDirectory();
  }

  private static Disk parent(Path path) {
    Path parent = path.toAbsolutePath().normalize().getParent();
    if (parent == null) {
      throw new BackupException(path + " is the root of a file system: name a directory in it");
    }
    return RealDisk.at(parent);
  }

  private static String name(Path path) {
    return String.valueOf(path.toAbsolutePath().normalize().getFileName());
  }
}
