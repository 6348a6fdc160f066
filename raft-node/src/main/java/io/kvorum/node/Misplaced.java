package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What stands in a data directory under the name of a file or directory of the node, and is none: a
 * look would take that for nothing at all, and a start fails on it.
 *
 * @param path of it
 * @param what it is, and what has to be there, in words
 */
public record Misplaced(String path, String what) {
  private static final Set<String> FILES =
      Set.of(
          DataDirectory.LOCK,
          Identity.FILE,
          KnownPeers.FILE,
          Origin.FILE,
          VoteFile.NAME,
          InstallMark.FILE,
          QuarantineMark.FILE,
          ReserveFile.NAME);

  private static final Set<String> DIRECTORIES =
      Set.of(DataDirectory.LOG, DataDirectory.STATE, DataDirectory.SNAPSHOTS);

  /** Looks for it in a data directory and its log, and changes nothing. */
  static List<Misplaced> in(Disk disk) {
    List<Misplaced> found = new ArrayList<>();
    for (String name : disk.directories()) {
      if (FILES.contains(name)) {
        found.add(of(disk, name, "a directory, where a file"));
      }
    }
    for (String name : disk.list()) {
      if (DIRECTORIES.contains(name)) {
        found.add(of(disk, name, "a file, where a directory"));
      }
    }
    for (String name : others(disk)) {
      if (FILES.contains(name) || DIRECTORIES.contains(name)) {
        found.add(of(disk, name, "neither file nor directory, where one"));
      }
    }
    if (disk.directories().contains(DataDirectory.LOG)) {
      addOfLog(disk.directory(DataDirectory.LOG), found);
    }
    return found;
  }

  private static void addOfLog(Disk log, List<Misplaced> found) {
    for (String name : log.directories()) {
      if (LogStore.isFile(name)) {
        found.add(of(log, name, "a directory, where a file"));
      }
    }
    for (String name : others(log)) {
      if (LogStore.isFile(name)) {
        found.add(of(log, name, "neither file nor directory, where a file"));
      }
    }
  }

  private static List<String> others(Disk disk) {
    return disk instanceof RealDisk real ? real.others() : List.of();
  }

  private static Misplaced of(Disk disk, String name, String what) {
    return new Misplaced(disk.location() + "/" + name, what + " of the node has to be");
  }

  /** In words, with what to do. */
  @Override
  public String toString() {
    return path + " is " + what + ": move it away, and bring back what was there if you have it";
  }
}
