package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.raft.EntryId;
import io.kvorum.snapshot.CorruptSnapshotException;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotStore;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
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
  private final Disk logDirectory;
  private final InstallMark mark;
  private final LogConfig config;
  private final RandomGenerator random;

  UnfinishedInstall(
      String location,
      Disk logDirectory,
      InstallMark mark,
      LogConfig config,
      RandomGenerator random) {
    this.location = location;
    this.logDirectory = logDirectory;
    this.mark = mark;
    this.config = config;
    this.random = random;
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
      if (!isInLog(manifest.meta().last())) {
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
    try (LogStore log = open()) {
      if (log.compacted().index() > last.index()) {
        throw new DataDirectoryException(
            location
                + ": snapshot "
                + manifest.name()
                + " was being installed, but the log begins only after entry "
                + log.compacted().index()
                + ": files of different times were put together. Bring the right ones back");
      }
      replace.accept(snapshots.files(manifest));
      if (!contains(log, last)) {
        log.reset(last);
      }
    }
    mark.clear();
  }

  private boolean isInLog(EntryId last) {
    try (LogStore log = open()) {
      return contains(log, last);
    }
  }

  private LogStore open() {
    return LogStore.open(logDirectory, config, Runnable::run, random, 0);
  }

  private static boolean contains(LogStore log, EntryId id) {
    return log.compacted().index() <= id.index()
        && id.index() <= log.last().index()
        && (id.index() == 0 || log.term(id.index()) == id.term());
  }
}
