package io.kvorum.server.backup;

import io.kvorum.disk.Disk;
import io.kvorum.server.store.SnapshotAbout;
import io.kvorum.server.store.StateSummary;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.TablesHome;
import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotFile;
import io.kvorum.snapshot.SnapshotRefusedException;
import io.kvorum.snapshot.StoredSnapshot;
import java.io.UncheckedIOException;
import java.util.function.Function;

/**
 * A backup in a directory of its own (docs/FORMATS.md): a snapshot, laid out like those of a node,
 * and beside it a {@link BackupLabel}. It needs no other backup. Nothing in it is ever changed.
 */
public final class Backup {
  private final Disk directory;
  private final BackupLabel label;
  private final StoredSnapshot snapshot;

  private Backup(Disk directory, BackupLabel label, StoredSnapshot snapshot) {
    this.directory = directory;
    this.label = label;
    this.snapshot = snapshot;
  }

  /**
   * Opens it, and takes the quick look: all files are there, each as long as it should be.
   *
   * @throws BackupException if it is none, or damaged, or of a newer version of Kvorum
   */
  public static Backup open(Disk directory) {
    BackupLabel label = BackupLabel.read(directory);
    String name = label.snapshot();
    if (!Manifest.isName(name) || !directory.directories().contains(name)) {
      throw new BackupException(directory.location() + "/" + name + ": the directory is missing");
    }
    try {
      StoredSnapshot snapshot = StoredSnapshot.open(directory.directory(name));
      Backup backup = new Backup(directory, label, snapshot);
      backup.checkManifest();
      return backup;
    } catch (CorruptSnapshotException | SnapshotRefusedException unusable) {
      throw new BackupException(String.valueOf(unusable.getMessage()), unusable);
    }
  }

  private void checkManifest() {
    Manifest manifest = snapshot.manifest();
    check(
        manifest.clusterId().equals(label.clusterId())
            && manifest.name().equals(label.snapshot())
            && manifest.files().size() == label.files()
            && manifest.bytes() == label.bytes(),
        "is not about the snapshot beside it, " + manifest + " of " + manifest.clusterId());
  }

  public BackupLabel label() {
    return label;
  }

  StoredSnapshot snapshot() {
    return snapshot;
  }

  /** Its files, to be read or linked. */
  Disk files() {
    return snapshot.files();
  }

  /**
   * The slow look: every byte is what it was when the backup was made, and every row of the state
   * is the one that the cluster had.
   *
   * @param homes what can look into a state in a directory
   * @return what the state says of itself
   * @throws BackupException if anything differs; it names the file
   */
  public StateSummary verify(Function<Disk, TablesHome> homes) {
    snapshot.manifest().files().forEach(file -> verify(file, homes));
    try (TableSnapshot tables = homes.apply(files()).peek(files())) {
      StateSummary state = StateSummary.verified(tables);
      checkState(state);
      return state;
    } catch (IllegalStateException | UncheckedIOException unusable) {
      throw new BackupException(files().location() + ": " + unusable.getMessage(), unusable);
    }
  }

  private void verify(SnapshotFile file, Function<Disk, TablesHome> homes) {
    try {
      snapshot.verify(file);
    } catch (CorruptSnapshotException damaged) {
      String place = homes.apply(files()).damage(files(), file.name());
      throw new BackupException(
          damaged.getMessage() + (place == null ? "" : "; " + place), damaged);
    }
  }

  private void checkState(StateSummary state) {
    SnapshotAbout about = SnapshotAbout.decode(snapshot.manifest().about());
    check(
        BackupLabel.of(label.nodeId(), snapshot.manifest(), state).equals(label),
        "says revision %d and hash %s, but the state has revision %d and hash %s"
            .formatted(label.revision(), label.stateHash(), state.revision(), state.hash()));
    check(
        state.applied().equals(snapshot.manifest().meta().last())
            && about.revision() == state.revision()
            && about.hash().equals(state.hash()),
        "belongs to a manifest that is of another state");
  }

  private void check(boolean condition, String problem) {
    if (!condition) {
      throw new BackupException(directory.location() + "/" + BackupLabel.FILE + " " + problem);
    }
  }
}
