package io.kvorum.snapshot;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.SnapshotMeta;
import java.util.ArrayList;
import java.util.List;

/** A snapshot that is being taken. It ends with {@link #publish} or {@link #discard}. */
public final class Draft {
  private final SnapshotStore store;
  private final String clusterId;
  private final Disk snapshot;
  private final Disk files;
  private boolean ended;

  Draft(SnapshotStore store, String clusterId, Disk snapshot) {
    this.store = store;
    this.clusterId = clusterId;
    this.snapshot = snapshot;
    this.files = SnapshotDirectory.files(snapshot);
  }

  /** Where its files are to be written: an empty directory. They need not be synced. */
  public Disk files() {
    return files;
  }

  /**
   * Makes everything in {@link #files} a snapshot. On return it is durable; what was hashed is what
   * was read back after the sync. If there is one of the same state already, that one is returned
   * and the draft dropped.
   *
   * <p>When it throws, the draft is neither published nor usable: {@link #discard} it.
   *
   * @param about what the state machine says about the state
   */
  public Manifest publish(SnapshotMeta meta, byte[] about) {
    checkOpen();
    if (!files.directories().isEmpty()) {
      throw new IllegalStateException(
          "a snapshot has no directories: " + files.location() + "/" + files.directories());
    }
    List<SnapshotFile> found = new ArrayList<>();
    for (String name : files.list()) {
      try (DiskFile file = files.open(name)) {
        file.sync();
        found.add(new SnapshotFile(name, file.size(), Hash.ofContent(file)));
      }
    }
    files.syncDirectory();
    Manifest manifest = new Manifest(clusterId, meta, about, found);
    snapshot.replace(SnapshotDirectory.MANIFEST, manifest.encode());
    if (!SnapshotDirectory.manifest(snapshot, clusterId).equals(manifest)) {
      throw new CorruptSnapshotException(snapshot.location(), "the manifest was not written");
    }
    ended = true;
    return store.publishDraft(manifest);
  }

  /** Deletes all of it. Does nothing once it was published. */
  public void discard() {
    if (!ended) {
      ended = true;
      store.discardDraft();
    }
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("this snapshot was published or discarded");
    }
  }
}
