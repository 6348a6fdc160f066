package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one node puts the committed entries of its log, to be kept when the log is cut: files, each
 * with consecutive entries. A file that is there is whole and durable, and never changed. One that
 * is small is replaced: by one that has its entries and those behind them, and is there before it
 * is deleted. So a cluster in which little is written has few files, and all of it in them as soon
 * as otherwise. Used by one thread.
 */
public final class LogArchive {
  /** About how much goes into one file, before it is compressed. */
  public static final int FILE_BYTES = 8 << 20;

  /**
   * A file with more than this is left as it is. At an interval of 10 s a day has 8,640 files
   * without that; this bounds what is written again for having fewer.
   */
  static final int SMALL_BYTES = 128 << 10;

  private final Disk directory;
  private final String clusterId;
  private long lastIndex;

  /** What an earlier process wrote last, until that was looked into. */
  private @Nullable String found;

  /** The last file, if it is small. */
  private @Nullable ArchiveFile small;

  private LogArchive(Disk directory, String clusterId, ArchiveFile.@Nullable Range last) {
    this.directory = directory;
    this.clusterId = clusterId;
    this.lastIndex = last == null ? 0 : last.last();
    this.found = last == null ? null : last.fileName();
  }

  /**
   * The archive of a node.
   *
   * @param directory the place of all archives
   */
  public static LogArchive open(Disk directory, String clusterId, String node) {
    Disk own = directory.directory(clusterId).directory(node);
    ArchiveFile.@Nullable Range last = null;
    for (String name : own.list()) {
      ArchiveFile.Range range = ArchiveFile.Range.of(name);
      if (range != null && (last == null || range.last() > last.last())) {
        last = range;
      }
    }
    return new LogArchive(own, clusterId, last);
  }

  /** Up to here entries are in it; 0 if none are. Those that were missed once are not there. */
  public long lastIndex() {
    return lastIndex;
  }

  /**
   * Adds committed entries; on return they are durable, and were read back.
   *
   * @param before the entry before the first of them; not before {@link #lastIndex}
   * @param entries consecutive, at least one
   */
  public void append(EntryId before, List<Entry> entries) {
    if (before.index() < lastIndex) {
      throw new IllegalArgumentException(before + " was archived: it is up to " + lastIndex);
    }
    ArchiveFile replaced = replaceable(before);
    ArchiveFile file =
        replaced == null
            ? new ArchiveFile(clusterId, before, List.copyOf(entries))
            : replaced.with(entries);
    String name = file.range().fileName();
    directory.replace(name, file.encode());
    ArchiveFile written = read(directory, name);
    boolean isWhole =
        written.before().equals(file.before()) && written.entries().size() == file.entries().size();
    if (!isWhole) {
      throw new CorruptArchiveException(directory.location() + "/" + name + " was not written");
    }
    lastIndex = file.range().last();
    small = file.payloadBytes() <= SMALL_BYTES ? file : null;
    if (replaced != null) {
      // After a crash before this both are there, and either will do.
      directory.delete(replaced.range().fileName());
    }
  }

  /** The last file, if it is small and ends with that entry. */
  private @Nullable ArchiveFile replaceable(EntryId before) {
    String earlier = found;
    if (earlier != null) {
      small = smallOf(earlier);
      found = null;
    }
    ArchiveFile last = small;
    return last != null && last.last().equals(before) ? last : null;
  }

  /** A file of an earlier process. If it is damaged, it stays as it is. */
  private @Nullable ArchiveFile smallOf(String name) {
    try {
      ArchiveFile file = read(directory, name);
      return file.clusterId().equals(clusterId) && file.payloadBytes() <= SMALL_BYTES ? file : null;
    } catch (CorruptArchiveException damaged) {
      return null;
    }
  }

  /**
   * Reads a file, and makes sure that it is the one of its name.
   *
   * @throws CorruptArchiveException if it is not
   */
  static ArchiveFile read(Disk directory, String name) {
    String where = directory.location() + "/" + name;
    ArchiveFile file = ArchiveFile.decode(directory.read(name), where);
    ArchiveFile.@Nullable Range range = ArchiveFile.Range.of(name);
    if (!file.range().equals(range)) {
      throw new CorruptArchiveException(where + " holds the entries of " + file.range());
    }
    return file;
  }
}
