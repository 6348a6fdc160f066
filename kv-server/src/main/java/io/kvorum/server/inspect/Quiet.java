package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.node.DirectoryReport;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A directory on which no node runs, as long as this is open. Where there is no file to lock, none
 * ever ran, and none is made.
 */
public final class Quiet implements AutoCloseable {
  /** Of a data directory, and of the directory of a log. */
  private static final List<String> LOCKS = List.of(DirectoryReport.lock(), "lock");

  private final Disk disk;
  private final Deque<DiskLock> held = new ArrayDeque<>();

  private Quiet(Disk disk) {
    this.disk = disk;
  }

  /**
   * Takes the locks that there are.
   *
   * @param directory which exists
   * @throws io.kvorum.disk.DirectoryInUseException if a node runs on it
   */
  public static Quiet on(Path directory) {
    Quiet quiet = new Quiet(RealDisk.at(directory, WriteMode.CHANNEL));
    boolean complete = false;
    try {
      for (String name : LOCKS) {
        if (quiet.disk.exists(name)) {
          quiet.held.push(quiet.disk.lock(name));
        }
      }
      complete = true;
      return quiet;
    } finally {
      if (!complete) {
        quiet.close();
      }
    }
  }

  /** The directory. */
  public Disk disk() {
    return disk;
  }

  /** Whether it is a node's data directory, or what is left of one. */
  public boolean isDataDirectory() {
    return DirectoryReport.isDataDirectory(disk);
  }

  @Override
  public void close() {
    while (!held.isEmpty()) {
      held.pop().close();
    }
  }
}
