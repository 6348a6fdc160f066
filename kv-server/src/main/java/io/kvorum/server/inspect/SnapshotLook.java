package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.node.DirectoryReport;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.SnapshotAbout;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotFile;
import io.kvorum.snapshot.SnapshotInspection;
import io.kvorum.snapshot.StoredSnapshot;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot on disk, every byte of it compared with its manifest, and every row of the state in it
 * read.
 *
 * @param about what its manifest says; null if there is none that can be read
 * @param problem what is wrong; null: nothing
 */
public record SnapshotLook(String location, @Nullable About about, @Nullable String problem) {
  /**
   * What a manifest says.
   *
   * @param state revision and hash of the state, in words
   * @param files each as name, bytes and SHA-256
   */
  public record About(
      String clusterId,
      EntryId last,
      Membership membership,
      String state,
      long bytes,
      List<String> files) {}

  /** Reads a snapshot, or all of a data directory or of its directory of snapshots. */
  public static List<SnapshotLook> at(Disk disk) {
    if (SnapshotInspection.isSnapshot(disk)) {
      return List.of(of(SnapshotInspection.of(disk)));
    }
    List<SnapshotInspection> found =
        DirectoryReport.isDataDirectory(disk)
            ? DirectoryReport.snapshots(disk)
            : SnapshotInspection.all(disk);
    return found.stream().map(SnapshotLook::of).toList();
  }

  private static SnapshotLook of(SnapshotInspection found) {
    Manifest manifest = found.manifest();
    About about =
        manifest == null
            ? null
            : new About(
                manifest.clusterId(),
                manifest.meta().last(),
                manifest.meta().membership(),
                state(manifest),
                manifest.bytes(),
                manifest.files().stream().map(SnapshotLook::text).toList());
    return new SnapshotLook(found.location(), about, problem(found));
  }

  private static @Nullable String problem(SnapshotInspection found) {
    if (found.problem() != null) {
      return found.problem();
    }
    Disk snapshot = RealDisk.at(Path.of(found.location()));
    return StateLook.problem(StoredSnapshot.open(snapshot).files());
  }

  private static String state(Manifest manifest) {
    try {
      SnapshotAbout about = SnapshotAbout.decode(manifest.about());
      return "revision " + about.revision() + ", hash " + about.hash();
    } catch (IllegalStateException otherFormat) {
      return String.valueOf(otherFormat.getMessage());
    }
  }

  private static String text(SnapshotFile file) {
    return file.name() + " " + file.bytes() + " " + file.hash();
  }
}
