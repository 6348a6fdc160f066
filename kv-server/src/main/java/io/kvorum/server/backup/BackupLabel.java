package io.kvorum.server.backup;

import io.kvorum.disk.Disk;
import io.kvorum.node.CheckedLines;
import io.kvorum.node.DataDirectoryException;
import io.kvorum.server.store.StateSummary;
import io.kvorum.snapshot.Manifest;
import java.util.Iterator;
import java.util.List;

/**
 * The file {@code backup} in a backup: what it is, in lines that a person can read. All of it
 * follows from the snapshot beside it, and is compared with that when the backup is verified.
 *
 * @param clusterId of the cluster it was taken from
 * @param nodeId of the node it was taken from
 * @param snapshot the name of the snapshot in it
 * @param revision of the store
 * @param compactRevision the oldest revision that can be read in it; 0: all
 * @param logTimeMillis the largest time stamp in the log up to there, milliseconds since the epoch
 * @param stateHash of the state, in hexadecimal
 * @param files how many there are
 * @param bytes of all files
 */
public record BackupLabel(
    String clusterId,
    String nodeId,
    String snapshot,
    long revision,
    long compactRevision,
    long logTimeMillis,
    String stateHash,
    int files,
    long bytes) {
  static final String FILE = "backup";
  private static final String FORMAT = "kvorum-backup 1";

  /** Of that state, written down in that snapshot. */
  static BackupLabel of(String nodeId, Manifest manifest, StateSummary state) {
    return new BackupLabel(
        manifest.clusterId(),
        nodeId,
        manifest.name(),
        state.revision(),
        state.compactRevision(),
        state.logTimeMillis(),
        state.hash().toString(),
        manifest.files().size(),
        manifest.bytes());
  }

  void write(Disk backup) {
    CheckedLines.write(
        backup,
        FILE,
        FORMAT,
        List.of(
            "cluster " + clusterId,
            "node " + nodeId,
            "snapshot " + snapshot,
            "revision " + revision,
            "compact-revision " + compactRevision,
            "log-time-millis " + logTimeMillis,
            "state-hash " + stateHash,
            "files " + files,
            "bytes " + bytes));
  }

  static BackupLabel read(Disk backup) {
    String where = backup.location() + "/" + FILE;
    if (!backup.exists(FILE)) {
      throw new BackupException(
          where + " is missing: this is no backup, or one that was never finished");
    }
    Iterator<String> lines;
    try {
      lines = CheckedLines.read(backup, FILE, FORMAT).iterator();
    } catch (DataDirectoryException damaged) {
      throw new BackupException(String.valueOf(damaged.getMessage()), damaged);
    }
    try {
      return new BackupLabel(
          next(lines, "cluster "),
          next(lines, "node "),
          next(lines, "snapshot "),
          Long.parseLong(next(lines, "revision ")),
          Long.parseLong(next(lines, "compact-revision ")),
          Long.parseLong(next(lines, "log-time-millis ")),
          next(lines, "state-hash "),
          Integer.parseInt(next(lines, "files ")),
          Long.parseLong(next(lines, "bytes ")));
    } catch (IllegalArgumentException malformed) {
      throw new BackupException(where + ": " + malformed.getMessage(), malformed);
    }
  }

  private static String next(Iterator<String> lines, String name) {
    String line = lines.hasNext() ? lines.next() : "";
    if (!line.startsWith(name)) {
      throw new IllegalArgumentException("a line should begin with \"" + name + "\": " + line);
    }
    return line.substring(name.length());
  }
}
