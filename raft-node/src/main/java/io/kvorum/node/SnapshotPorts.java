package io.kvorum.node;

import io.kvorum.log.LogArchive;
import io.kvorum.snapshot.SnapshotStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What snapshots need beside the rest of a node's ports.
 *
 * @param lane owns the store and the archive, and does what takes long
 * @param mark says across a crash what is being installed
 * @param quarantine says across a crash that the state is wrong
 * @param archive where the log goes before it is cut; null: it is only cut
 */
public record SnapshotPorts(
    Lane lane,
    SnapshotStore store,
    InstallMark mark,
    QuarantineMark quarantine,
    @Nullable Archiving archive) {
  /**
   * Where the log goes, and when.
   *
   * @param interval what was applied is there after this time at the latest
   */
  public record Archiving(LogArchive archive, Duration interval) {}

  /** Without an archive. */
  public SnapshotPorts(
      Lane lane, SnapshotStore store, InstallMark mark, QuarantineMark quarantine) {
    this(lane, store, mark, quarantine, null);
  }
}
