package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot, read through without changing anything.
 *
 * @param location of its directory
 * @param manifest null if that is missing or damaged
 * @param problem what is wrong with it; null if all of it is what the manifest says
 */
public record SnapshotInspection(
    String location, @Nullable Manifest manifest, @Nullable String problem) {
  /** Whether a directory holds what a snapshot has, whole or not. */
  public static boolean isSnapshot(Disk directory) {
    return directory.exists(SnapshotDirectory.MANIFEST);
  }

  /** Reads one snapshot. */
  public static SnapshotInspection of(Disk snapshot) {
    Manifest manifest = null;
    try {
      if (!isSnapshot(snapshot)) {
        throw new CorruptSnapshotException(snapshot.location(), "it has no manifest");
      }
      manifest =
          Manifest.decode(
              snapshot.read(SnapshotDirectory.MANIFEST),
              snapshot.location() + "/" + SnapshotDirectory.MANIFEST);
      if (!snapshot.directories().contains(SnapshotDirectory.FILES)) {
        throw new CorruptSnapshotException(snapshot.location(), "it has no files");
      }
      SnapshotDirectory.verify(snapshot, manifest);
      return new SnapshotInspection(snapshot.location(), manifest, null);
    } catch (CorruptSnapshotException | SnapshotRefusedException bad) {
      return new SnapshotInspection(
          snapshot.location(), manifest, String.valueOf(bad.getMessage()));
    }
  }

  /** Reads all published ones in a directory of snapshots, the oldest first. */
  public static List<SnapshotInspection> all(Disk directory) {
    List<SnapshotInspection> found = new ArrayList<>();
    for (String name : directory.directories()) {
      if (Manifest.isName(name)) {
        found.add(of(directory.directory(name)));
      }
    }
    return found;
  }
}
