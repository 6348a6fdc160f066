package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one node puts the committed entries of its log, to be kept when the log is cut: files, each
 * with consecutive entries, written once. A file that is there is whole and durable. Used by one
 * thread.
 */
public final class LogArchive {
  /** About how much goes into one file, before it is compressed. */
  public static final int FILE_BYTES = 8 << 20;

  private final Disk directory;
  private final String clusterId;
  private long lastIndex;

  private LogArchive(Disk directory, String clusterId, long lastIndex) {
    this.directory = directory;
    this.clusterId = clusterId;
    this.lastIndex = lastIndex;
  }

  /**
   * The archive of a node.
   *
   * @param directory the place of all archives
   */
  public static LogArchive open(Disk directory, String clusterId, String node) {
    Disk own = directory.directory(clusterId).directory(node);
    long last = 0;
    for (String name : own.list()) {
      ArchiveFile.Range range = ArchiveFile.Range.of(name);
      last = range == null ? last : Math.max(last, range.last());
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
    ArchiveFile file = new ArchiveFile(clusterId, before, List.copyOf(entries));
    String name = file.range().fileName();
    directory.replace(name, file.encode());
    ArchiveFile written = read(directory, name);
    if (!written.before().equals(before) || written.entries().size() != entries.size()) {
      throw new CorruptArchiveException(directory.location() + "/" + name + " was not written");
    }
    lastIndex = file.range().last();
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
