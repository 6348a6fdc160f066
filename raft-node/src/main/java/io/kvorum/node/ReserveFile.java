package io.kvorum.node;

import io.kvorum.disk.Disk;

/**
 * Space that is kept for the moment when there is none: a file of zeros, really written and synced.
 * It has its name only when it is whole.
 */
final class ReserveFile {
  static final String NAME = "reserve";
  static final String UNFINISHED = "reserve.tmp";

  private final Disk disk;
  private final long bytes;

  /** Takes over what an earlier life has left; one of another size goes. */
  ReserveFile(Disk disk, long bytes) {
    this.disk = disk;
    this.bytes = bytes;
    deleteIfThere(UNFINISHED);
    if (isThere() && size() != bytes) {
      giveUp();
    }
  }

  private long size() {
    try (var file = disk.open(NAME)) {
      return file.size();
    }
  }

  boolean isThere() {
    return disk.exists(NAME);
  }

  /** Makes it, durably; after a failure there is none, and nothing is left of it. */
  void make() {
    deleteIfThere(UNFINISHED);
    disk.create(UNFINISHED, bytes).close();
    disk.rename(UNFINISHED, NAME);
    disk.syncDirectory();
  }

  /** On return its space is free. */
  void giveUp() {
    deleteIfThere(NAME);
    disk.syncDirectory();
  }

  private void deleteIfThere(String name) {
    if (disk.exists(name)) {
      disk.delete(name);
    }
  }
}
