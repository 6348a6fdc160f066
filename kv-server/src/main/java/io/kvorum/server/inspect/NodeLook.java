package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.disk.RealDisk;
import io.kvorum.disk.WriteMode;
import io.kvorum.node.DirectoryReport;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.server.store.StateReport;
import io.kvorum.server.store.rocks.RocksDamage;
import io.kvorum.server.store.rocks.RocksSettings;
import io.kvorum.server.store.rocks.RocksTables;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is left of one node.
 *
 * @param identity what the small files say
 * @param log null: there is none
 * @param state null: there is none, or it cannot be read; then {@code stateProblem} says why
 * @param membership the newest that is known here, committed or not
 */
public record NodeLook(
    Path directory,
    DirectoryReport identity,
    @Nullable Log log,
    @Nullable StateReport state,
    @Nullable String stateProblem,
    List<SnapshotLook> snapshots,
    Membership membership) {
  private static final long CACHE_BYTES = 8 << 20;

  /**
   * Of its log.
   *
   * @param last the last entry that is whole with all before it
   * @param highest so far it once reached, by what is left behind the damage
   */
  public record Log(
      EntryId compacted,
      EntryId last,
      EntryId highest,
      List<String> damages,
      @Nullable String underWay) {
    private static Log of(LogLook found) {
      return new Log(
          found.compacted(), found.last(), found.highest(), found.damages(), found.underWay());
    }
  }

  /**
   * Looks at a directory and changes nothing in it.
   *
   * @param quiet the same directory
   * @param scratch an empty directory elsewhere, for RocksDB
   */
  public static NodeLook at(Path directory, Quiet quiet, Path scratch) {
    return of(directory, quiet.disk(), scratch);
  }

  private static NodeLook of(Path directory, Disk disk, Path scratch) {
    DirectoryReport identity = DirectoryReport.of(disk);
    StateReport state = null;
    String problem = null;
    try {
      state = state(disk, scratch);
    } catch (UncheckedIOException | IllegalStateException damaged) {
      problem = String.valueOf(damaged.getMessage());
    }
    EntryId applied = state == null ? EntryId.ZERO : state.applied();
    Membership membership =
        state == null || state.membership().isEmpty() ? identity.origin() : state.membership();
    Log log = null;
    try (LogLook found = LogLook.at(disk, identity.isRepairing() ? 0 : applied.index())) {
      if (found != null) {
        Membership newer = found.newestMembership(applied.index());
        membership = newer == null ? membership : newer;
        log = Log.of(found);
      }
    }
    return new NodeLook(
        directory, identity, log, state, problem, SnapshotLook.at(disk), membership);
  }

  private static @Nullable StateReport state(Disk disk, Path scratch) {
    Disk directory = DirectoryReport.state(disk);
    if (!(directory instanceof RealDisk real) || real.list().isEmpty()) {
      return null;
    }
    RocksDamage.check(real);
    RealDisk aside = RealDisk.at(scratch, WriteMode.CHANNEL);
    RocksTables tables =
        RocksTables.look(real, aside, RocksSettings.DEFAULT.withBlockCacheBytes(CACHE_BYTES));
    try {
      return StateReport.of(tables);
    } finally {
      tables.close();
    }
  }

  /** The last entry there is, as far as it can be relied upon. */
  public EntryId last() {
    EntryId applied = applied();
    return log == null || log.last().compareTo(applied) < 0 ? applied : log.last();
  }

  /** What its state has applied; nothing if that cannot be read. */
  public EntryId applied() {
    return state == null ? EntryId.ZERO : state.applied();
  }

  /** Whether it knows that its log lacks what it has promised to keep. */
  public boolean isRepairing() {
    return identity.isRepairing();
  }

  /** All that is wrong, in words. A snapshot that is damaged is a copy, and not among it. */
  public List<String> problems() {
    List<String> all = new ArrayList<>(identity.problems());
    if (log == null) {
      all.add(directory + ": there is no log");
    } else {
      all.addAll(log.damages());
    }
    if (stateProblem != null) {
      all.add(stateProblem);
    }
    if (log != null && log.compacted().index() > applied().index()) {
      all.add(
          "the log begins after %s, but the state ends with %s"
              .formatted(log.compacted(), applied()));
    }
    return all;
  }

  /** Whether a node can start here and vote. */
  public boolean isSound() {
    return problems().isEmpty() && !isRepairing() && !identity.isQuarantined();
  }

  /** Whether it remembers for whom it has voted, and who it is: without that it cannot return. */
  public boolean canReturn() {
    return identity.problems().isEmpty() && log != null;
  }
}
