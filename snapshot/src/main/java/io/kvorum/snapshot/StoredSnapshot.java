package io.kvorum.snapshot;

import io.kvorum.disk.Disk;

/**
 * One snapshot in a directory, wherever that lies and whichever cluster it is of: to be read, and
 * never changed. The snapshots that a node uses are those of its {@link SnapshotStore}.
 */
public final class StoredSnapshot {
  private final Disk directory;
  private final Manifest manifest;

  private StoredSnapshot(Disk directory, Manifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
  }

  /**
   * Opens it, and takes the quick look: the files of the manifest are there, each as long as it
   * says, and no others.
   *
   * @param directory of this one snapshot
   * @throws CorruptSnapshotException if it is none, or damaged; it names the file
   * @throws SnapshotRefusedException if it is of a newer version of Kvorum
   */
  public static StoredSnapshot open(Disk directory) {
    String name = directory.location();
    if (!directory.exists(SnapshotDirectory.MANIFEST)) {
      throw new CorruptSnapshotException(
          name + "/" + SnapshotDirectory.MANIFEST, "the file is missing");
    }
    // To ask for a directory would make it.
    if (!directory.directories().contains(SnapshotDirectory.FILES)) {
      throw new CorruptSnapshotException(
          name + "/" + SnapshotDirectory.FILES, "the directory is missing");
    }
    Manifest manifest = SnapshotDirectory.manifest(directory);
    SnapshotDirectory.checkFiles(directory, manifest);
    return new StoredSnapshot(directory, manifest);
  }

  public Manifest manifest() {
    return manifest;
  }

  /** To be read or linked. */
  public Disk files() {
    return SnapshotDirectory.files(directory);
  }

  /**
   * Reads one of its files and compares it with the manifest.
   *
   * @throws CorruptSnapshotException if anything differs; it names the file
   */
  public void verify(SnapshotFile file) {
    SnapshotDirectory.verify(directory, file);
  }
}
