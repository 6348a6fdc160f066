package io.kvorum.simulator.cli;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.raft.NodeId;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import io.kvorum.server.store.rocks.RocksHome;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.simulator.SimResult;
import io.kvorum.simulator.Simulation;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.run.Universe;
import io.kvorum.simulator.world.TablesMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The simulation with real RocksDB below the stores. Its files are real ones, so only its process
 * is lost, not a disk. It flushes when tables in memory would: a run has the same trace over both.
 *
 * <p>Each run has a directory of its own, and removes it when it ends.
 */
final class RocksUniverse implements Universe, AutoCloseable {
  private static final int REMOVALS_MAX = 100;

  private static final long REMOVAL_PAUSE_NANOS = 10_000_000;

  private final Path parent;

  // Guarded by this.
  private final Set<RunFiles> running = new LinkedHashSet<>();
  private boolean closed;

  /**
   * A universe.
   *
   * @param parent where the runs make their directories
   */
  RocksUniverse(Path parent) {
    this.parent = parent;
  }

  @Override
  public SimResult run(SimPlan plan, List<Checker> checkers, boolean keepTrace) {
    RunFiles files = begin();
    try {
      int flushEvery = plan.options().tuning().flushEvery();
      return Simulation.run(
          plan, checkers, keepTrace, node -> new OnRocksDb(files, node, flushEvery));
    } finally {
      end(files);
    }
  }

  private synchronized RunFiles begin() {
    awaitEnd();
    try {
      RunFiles files = new RunFiles(Files.createTempDirectory(parent, "kvorum-sim-"));
      running.add(files);
      return files;
    } catch (IOException failed) {
      throw new UncheckedIOException("no directory for RocksDB in " + parent, failed);
    }
  }

  /**
   * If this is closed, waits for the process to end: without its tables the run would look like a
   * failure.
   */
  private void awaitEnd() {
    while (closed) {
      LockSupport.park();
    }
  }

  private synchronized void end(RunFiles files) {
    awaitEnd();
    running.remove(files);
    files.close();
  }

  /**
   * For the end of the process: nothing stays of the runs that are under way, and none of them
   * returns.
   */
  @Override
  public synchronized void close() {
    closed = true;
    running.forEach(RunFiles::close);
    running.clear();
  }

  /** What one run has on the disk of this machine. */
  private static final class RunFiles {
    private final Path directory;

    // Guarded by this.
    private final Set<KillableTables> open = new LinkedHashSet<>();
    private boolean closed;

    RunFiles(Path directory) {
      this.directory = directory;
    }

    RocksHome home(String name) {
      return RocksHome.in(RealDisk.at(directory.resolve(name)), RocksSettings.DEFAULT);
    }

    synchronized KillableTables open(RocksHome home, int flushEvery) {
      if (closed) {
        throw new IllegalStateException("the run is being ended");
      }
      KillableTables opened = new KillableTables(home.open(), flushEvery);
      open.add(opened);
      return opened;
    }

    synchronized void kill(KillableTables tables) {
      if (open.remove(tables)) {
        tables.kill();
      }
    }

    synchronized void close() {
      closed = true;
      open.forEach(KillableTables::kill);
      open.clear();
      remove(directory);
    }
  }

  /**
   * Removes the directory and all in it. RocksDB may still remove, or write, files of its own: so
   * files may vanish under our hands, or come to a directory just emptied, and we look again.
   */
  static void remove(Path directory) {
    for (int left = REMOVALS_MAX; Files.exists(directory); left--) {
      try {
        removeOnce(directory);
      } catch (IOException failed) {
        if (left == 1) {
          throw new UncheckedIOException("cannot remove " + directory, failed);
        }
        LockSupport.parkNanos(REMOVAL_PAUSE_NANOS);
      }
    }
  }

  private static void removeOnce(Path directory) throws IOException {
    try (var all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (UncheckedIOException vanished) {
      throw vanished.getCause();
    }
  }

  /** Tables in a directory; a lost one is never looked at again. */
  private static final class OnRocksDb implements TablesMedium {
    private final RunFiles files;
    private final NodeId node;
    private final int flushEvery;
    private int losses;
    private RocksHome home;
    private @Nullable KillableTables tables;

    OnRocksDb(RunFiles files, NodeId node, int flushEvery) {
      this.files = files;
      this.node = node;
      this.flushEvery = flushEvery;
      this.home = files.home(node.name() + "-" + losses);
    }

    @Override
    public Tables open() {
      crash();
      KillableTables opened = files.open(home, flushEvery);
      tables = opened;
      return opened;
    }

    @Override
    public void replace(Disk with) {
      crash();
      home.replace(with);
    }

    @Override
    public TableSnapshot peek(Disk found) {
      return home.peek(found);
    }

    @Override
    public void crash() {
      if (tables != null) {
        files.kill(tables);
        tables = null;
      }
    }

    @Override
    public void lose() {
      crash();
      losses++;
      home = files.home(node.name() + "-" + losses);
    }
  }
}
