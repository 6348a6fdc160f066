package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogInspection;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.snapshot.SnapshotInspection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the small files of a data directory say, read without changing anything.
 *
 * @param clusterId null if the identity cannot be read; so are the next two
 * @param state how far the directory is: {@code ready} when a node may run on it
 * @param vote null if it is lost or damaged
 * @param origin with which members the group began; empty: it joined one, or that is not known
 * @param installing the snapshot that is half installed; null: none is
 * @param quarantine what was found wrong with the state, now or once; null: nothing ever was
 * @param misplaced what stands where a file of the node has to be, or a directory, and is none
 * @param problems all that is wrong with these files, in words for a person
 */
public record DirectoryReport(
    @Nullable String clusterId,
    @Nullable NodeId node,
    @Nullable String state,
    @Nullable HardState vote,
    Membership origin,
    @Nullable String installing,
    QuarantineMark.@Nullable Found quarantine,
    List<Misplaced> misplaced,
    List<String> problems) {

  /** Whether this is a data directory, or what is left of one. */
  public static boolean isDataDirectory(Disk disk) {
    return disk.exists(Identity.FILE)
        || disk.exists(VoteFile.NAME)
        || disk.directories().contains(DataDirectory.LOG);
  }

  /** Whether the vote file says that the log lacks what the node has promised to keep. */
  public boolean isRepairing() {
    return vote != null && vote.hasLost();
  }

  /** Whether the state is known to be wrong, and no right one has taken its place yet. */
  public boolean isQuarantined() {
    return quarantine != null && quarantine.isOpen();
  }

  /**
   * Whether the first start was cut short: nothing was promised here, and the next one begins anew.
   */
  public boolean isUnused() {
    return text(Identity.State.INITIALIZING).equals(state);
  }

  /** Whether a recovery was cut short: no node starts here before it is given again. */
  public boolean isHalfRecovered() {
    return text(Identity.State.RECOVERING).equals(state);
  }

  private static String text(Identity.State state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** What was kept of the last wrong state; null if nothing was. */
  public static @Nullable Disk evidence(Disk disk) {
    return disk.directories().contains(QuarantineMark.EVIDENCE)
        ? new QuarantineMark(disk).evidence()
        : null;
  }

  /** Reads them. */
  public static DirectoryReport of(Disk disk) {
    List<String> problems = new ArrayList<>();
    Identity identity = read(problems, () -> identity(disk));
    boolean isUnused = identity != null && identity.state() == Identity.State.INITIALIZING;
    HardState vote = isUnused ? null : read(problems, () -> VoteFile.peek(disk));
    Origin origin = read(problems, () -> Origin.find(disk));
    String installing = read(problems, () -> new InstallMark(disk).find());
    QuarantineMark.Found quarantine = read(problems, () -> new QuarantineMark(disk).find());
    if (identity != null && identity.state() == Identity.State.RECOVERING) {
      problems.add(
          "%s: a recovery to cluster %s was cut short: give the same command again, it goes on"
              .formatted(disk.location(), identity.clusterId()));
    }
    if (identity != null && identity.ready() && !disk.exists(KnownPeers.FILE)) {
      problems.add(disk.location() + "/" + KnownPeers.FILE + ": the file is missing");
    } else {
      var unused = read(problems, () -> KnownPeers.read(disk));
    }
    return new DirectoryReport(
        identity == null ? null : identity.clusterId(),
        identity == null ? null : identity.node(),
        identity == null ? null : text(identity.state()),
        vote,
        origin == null ? Membership.EMPTY : origin.membership(),
        installing,
        quarantine,
        List.copyOf(Misplaced.in(disk)),
        List.copyOf(problems));
  }

  private static Identity identity(Disk disk) {
    if (!disk.exists(Identity.FILE)) {
      throw new DataDirectoryException(
          disk.location() + "/" + Identity.FILE + ": the file is missing");
    }
    return Identity.read(disk);
  }

  private static <T> @Nullable T read(List<String> problems, Supplier<@Nullable T> what) {
    try {
      return what.get();
    } catch (DataDirectoryException damaged) {
      problems.add(String.valueOf(damaged.getMessage()));
    } catch (CorruptLogException damaged) {
      problems.add(damaged.damage().toString());
    } catch (IllegalArgumentException malformed) {
      problems.add(String.valueOf(malformed.getMessage()));
    }
    return null;
  }

  /** The log of a data directory, or null if it has none. Closed by the caller. */
  public static @Nullable LogInspection log(Disk disk, long knownDurableIndex) {
    return disk.directories().contains(DataDirectory.LOG)
        ? LogInspection.of(disk.directory(DataDirectory.LOG), knownDurableIndex)
        : null;
  }

  /** Its snapshots. */
  public static List<SnapshotInspection> snapshots(Disk disk) {
    return disk.directories().contains(DataDirectory.SNAPSHOTS)
        ? SnapshotInspection.all(disk.directory(DataDirectory.SNAPSHOTS))
        : List.of();
  }

  /** Where the state is; null if there is none. */
  public static @Nullable Disk state(Disk disk) {
    return disk.directories().contains(DataDirectory.STATE)
        ? disk.directory(DataDirectory.STATE)
        : null;
  }

  /** The name of the lock that a running node holds. */
  public static String lock() {
    return DataDirectory.LOCK;
  }
}
