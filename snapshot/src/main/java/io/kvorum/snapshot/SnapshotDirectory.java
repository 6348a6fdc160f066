package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import java.util.List;

/** The directory of one snapshot, whole or not: its manifest beside a directory of its files. */
final class SnapshotDirectory {
  static final String MANIFEST = "MANIFEST";
  static final String FILES = "files";

  private SnapshotDirectory() {}

  static Disk files(Disk snapshot) {
    return snapshot.directory(FILES);
  }

  /**
   * What the manifest in it says.
   *
   * @throws CorruptSnapshotException if it is damaged
   * @throws SnapshotRefusedException if it is of another cluster, or of a newer version
   */
  static Manifest manifest(Disk snapshot, String clusterId) {
    Manifest manifest = manifest(snapshot);
    checkCluster(manifest, clusterId, snapshot.location() + "/" + MANIFEST);
    return manifest;
  }

  /** As above, of whichever cluster. */
  static Manifest manifest(Disk snapshot) {
    String where = snapshot.location() + "/" + MANIFEST;
    if (sizeOf(snapshot, MANIFEST) > Manifest.BYTES_MAX) {
      throw new CorruptSnapshotException(where, "it is larger than any manifest");
    }
    return Manifest.decode(snapshot.read(MANIFEST), where);
  }

  static void checkCluster(Manifest manifest, String clusterId, String where) {
    if (!manifest.clusterId().equals(clusterId)) {
      throw new SnapshotRefusedException(
          where
              + " is of cluster "
              + manifest.clusterId()
              + ", this is cluster "
              + clusterId
              + ": it holds another history");
    }
  }

  /** The quick look: exactly the files of the manifest are there, each as long as it says. */
  static void checkFiles(Disk snapshot, Manifest manifest) {
    Disk files = files(snapshot);
    List<String> expected = manifest.files().stream().map(SnapshotFile::name).toList();
    List<String> found = files.list();
    for (String name : expected) {
      if (!found.contains(name)) {
        throw new CorruptSnapshotException(files.location() + "/" + name, "the file is missing");
      }
    }
    for (String name : found) {
      if (!expected.contains(name)) {
        throw new CorruptSnapshotException(
            files.location() + "/" + name, "the manifest knows no such file");
      }
    }
    for (SnapshotFile file : manifest.files()) {
      checkLength(files, file);
    }
  }

  private static void checkLength(Disk files, SnapshotFile file) {
    long found = sizeOf(files, file.name());
    if (found != file.bytes()) {
      throw new CorruptSnapshotException(
          files.location() + "/" + file.name(),
          "it has " + found + " bytes instead of " + file.bytes());
    }
  }

  /** The slow look: reads everything. */
  static void verify(Disk snapshot, Manifest manifest) {
    checkFiles(snapshot, manifest);
    for (SnapshotFile file : manifest.files()) {
      verify(snapshot, file);
    }
  }

  /** The slow look at one file, which is there. */
  static void verify(Disk snapshot, SnapshotFile file) {
    Disk files = files(snapshot);
    Hash found = Hash.ofContent(files, file.name());
    if (!found.equals(file.hash())) {
      throw new CorruptSnapshotException(
          files.location() + "/" + file.name(),
          "its content has SHA-256 " + found + " instead of " + file.hash());
    }
  }

  static long sizeOf(Disk directory, String name) {
    try (DiskFile file = directory.open(name)) {
      return file.size();
    }
  }
}
