package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.EntryId;
import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs a snapshot in a data directory of which nothing is open: the steps of {@link
 * SnapshotInstall}, all of them, whatever was done before a crash. The log is only emptied if it
 * does not hold the snapshot's last entry; entries behind that one may have been acknowledged.
 */
final class UnfinishedInstall {
  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedInstall.class);

  private final String location;
  private final Disk disk;
  private final InstallMark mark;
  private final LogRepair repair;

  /**
   * The installation in a data directory.
   *
   * @param disk the data directory
   * @param repair opens its log
   */
  UnfinishedInstall(Disk disk, InstallMark mark, LogRepair repair) {
    this.location = disk.location();
    this.disk = disk;
    this.mark = mark;
    this.repair = repair;
  }

  /** What the mark names is installed; false if there is no mark. */
  boolean finish(SnapshotStore snapshots, Consumer<Disk> replace) {
    String name = mark.find();
    if (name == null) {
      return false;
    }
    Manifest manifest = snapshots.find(name);
    String problem = manifest == null ? "is not there" : problem(snapshots, manifest);
    if (manifest == null || problem != null) {
      throw new DataDirectoryException(
          location
              + ": the state was being replaced by snapshot "
              + name
              + ", which "
              + problem
              + ". Bring the snapshot back; without it the node can only return as a new member,"
              + " under a new id");
    }
    LOG.info("{}: finishes the installation of snapshot {}", location, manifest);
    install(snapshots, manifest, replace);
    return true;
  }

  /** The newest sound one from which the log leads on is installed; false if there is none. */
  boolean restore(SnapshotStore snapshots, Consumer<Disk> replace) {
    List<Manifest> published = snapshots.published();
    for (int i = published.size() - 1; i >= 0; i--) {
      Manifest manifest = published.get(i);
      if (!leadsOn(manifest)) {
        continue;
      }
      String problem = problem(snapshots, manifest);
      if (problem == null) {
        LOG.warn("{}: the state is lost; snapshot {} takes its place", location, manifest);
        mark.set(manifest.name());
        install(snapshots, manifest, replace);
        return true;
      }
      LOG.warn("{}: snapshot {} {}", location, manifest, problem);
    }
    return false;
  }

  private static @Nullable String problem(SnapshotStore snapshots, Manifest manifest) {
    try {
      snapshots.verify(manifest);
      return null;
    } catch (CorruptSnapshotException damaged) {
      return "is damaged: " + damaged.getMessage();
    }
  }

  private void install(SnapshotStore snapshots, Manifest manifest, Consumer<Disk> replace) {
    EntryId last = manifest.meta().last();
    try (VoteFile vote = VoteFile.open(disk, true);
        LogStore log = open(vote, manifest)) {
      if (log.compacted().index() > last.index() && !LogRepair.isRepairing(vote)) {
        throw new DataDirectoryException(
            location
                + ": snapshot "
                + manifest.name()
                + " was being installed, but the log begins only after entry "
                + log.compacted().index()
                + ": files of different times were put together. Bring the right ones back");
      }
      replace.accept(snapshots.files(manifest));
      if (!LogRepair.contains(log, last)) {
        log.reset(last);
      }
    }
    mark.clear();
  }

  /** As long as the log lacks something anyway, it may as well begin behind the snapshot. */
  private boolean leadsOn(Manifest manifest) {
    try (VoteFile vote = VoteFile.open(disk, true);
        LogStore log = open(vote, manifest)) {
      return LogRepair.isRepairing(vote) || LogRepair.contains(log, manifest.meta().last());
    }
  }

  private LogStore open(VoteFile vote, Manifest manifest) {
    return repair.openWhole(vote, Runnable::run, 0, manifest.meta().membership());
  }
}
