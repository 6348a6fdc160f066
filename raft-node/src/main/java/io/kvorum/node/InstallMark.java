package io.kvorum.node;

import io.kvorum.disk.Disk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code installing}: from before the first until after the last change that installing a
 * snapshot makes to state and log, it says which one. So a start that finds it does all of it
 * again, whatever was done before a crash (FAULTS F061).
 */
public final class InstallMark {
  static final String FILE = "installing";
  private static final String FORMAT = "kvorum-installing 1";

  private final Disk disk;

  /**
   * The mark of a data directory.
   *
   * @param disk the data directory
   */
  public InstallMark(Disk disk) {
    this.disk = disk;
  }

  /** From now on, durably, this snapshot is being installed. */
  void set(String snapshot) {
    CheckedLines.write(disk, FILE, FORMAT, List.of(snapshot));
  }

  /** Nothing is being installed any more, durably. */
  void clear() {
    if (disk.exists(FILE)) {
      disk.delete(FILE);
      disk.syncDirectory();
    }
  }

  /** The name of the snapshot that is being installed; null if none is. */
  @Nullable String find() {
    if (!disk.exists(FILE)) {
      return null;
    }
    List<String> lines = CheckedLines.read(disk, FILE, FORMAT);
    if (lines.size() != 1) {
      throw new DataDirectoryException(
          disk.location() + "/" + FILE + " should name one snapshot, not " + lines.size());
    }
    return lines.get(0);
  }
}
