package io.kvorum.node;

import static java.util.stream.Collectors.joining;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogDamage;
import io.kvorum.log.LogInspection;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.snapshot.Manifest;
import io.kvorum.snapshot.SnapshotInspection;
import io.kvorum.snapshot.StoredSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Recovery} goes by: all that a survivor holds, read without changing anything.
 *
 * @param membershipId the entry that made the membership; 0 if it is not behind the state
 * @param base the snapshot that takes the place of a state that is of no use; null: none does
 */
record SurvivorLook(
    Recovery.StateFiles files,
    Recovery.Report report,
    EntryId membershipId,
    @Nullable Manifest base) {
  private static final long PAGE_BYTES_MAX = 4 << 20;
  private static final int DAMAGES_NAMED = 3;
  private static final String ADVICE = "Recover another survivor, or restore a backup";

  /** On which the entries of the log stand. */
  private record Basis(
      EntryId applied,
      Membership membership,
      @Nullable String problem,
      @Nullable Rebuild rebuild,
      @Nullable Manifest snapshot,
      List<String> unused) {}

  /**
   * Looks at a data directory.
   *
   * @throws DataDirectoryException if nobody could go on from what is there; it names what is
   *     damaged, and what is left
   */
  static SurvivorLook at(Disk disk, Identity identity, Recovery.StateFiles files) {
    HardState vote = VoteFile.peek(disk);
    Recovery.FoundState state = read(disk, files);
    try (LogInspection log = DirectoryReport.log(disk, state.applied().index())) {
      if (log == null) {
        throw new DataDirectoryException(disk.location() + " holds no log");
      }
      checkWhole(disk, log);
      checkBelongs(disk, state, log);
      String problem = problem(state, log);
      Basis basis =
          problem == null
              ? new Basis(state.applied(), state.membership(), null, null, null, List.of())
              : rebuilt(disk, identity, files, new Lost(problem, state.isOfAnotherVersion()), log);
      return of(disk, identity, files, vote, log, basis);
    }
  }

  private static Recovery.FoundState read(Disk disk, Recovery.StateFiles files) {
    String installing = new InstallMark(disk).find();
    if (installing == null) {
      return files.read();
    }
    // The recovery was cut short while it put the snapshot there.
    String problem = "it was being replaced by snapshot " + installing;
    return new Recovery.FoundState(EntryId.ZERO, Membership.EMPTY, problem, false);
  }

  private static void checkWhole(Disk disk, LogInspection log) {
    List<LogDamage> damages = log.damages();
    if (!damages.isEmpty()) {
      String named =
          damages.stream().limit(DAMAGES_NAMED).map(LogDamage::toString).collect(joining("; "));
      throw new DataDirectoryException(
          "%s: the log is damaged: %s%s. What is whole of it are %s; it once reached %s. %s"
              .formatted(
                  disk.location(),
                  named,
                  damages.size() > DAMAGES_NAMED ? "; …" : "",
                  entries(log),
                  log.highest(),
                  ADVICE));
    }
  }

  private static String entries(LogInspection log) {
    return "the entries " + (log.compacted().index() + 1) + " to " + log.last();
  }

  /** Whatever else is wrong with a state: what it has applied was committed, and cannot be gone. */
  private static void checkBelongs(Disk disk, Recovery.FoundState state, LogInspection log) {
    boolean isBehind = log.compacted().index() > state.applied().index();
    if (!isBehind && !Rebuild.holds(log, state.applied())) {
      throw new DataDirectoryException(
          "%s: the log does not hold %s, which the state has applied; what it holds are %s"
              .formatted(disk.location(), state.applied(), entries(log)));
    }
  }

  private static @Nullable String problem(Recovery.FoundState state, LogInspection log) {
    boolean isBehind = log.compacted().index() > state.applied().index();
    return state.problem() != null || !isBehind
        ? state.problem()
        : "it ends with " + state.applied() + ", but the log begins after " + log.compacted();
  }

  private static boolean isStateEmpty(Disk disk) {
    Disk state = DirectoryReport.state(disk);
    return state != null && state.list().isEmpty() && state.directories().isEmpty();
  }

  /** What is wrong with a state. */
  private record Lost(String problem, boolean isOfAnotherVersion) {}

  private static Basis rebuilt(
      Disk disk, Identity identity, Recovery.StateFiles files, Lost lost, LogInspection log) {
    String problem = lost.problem();
    if (lost.isOfAnotherVersion()) {
      throw new DataDirectoryException(disk.location() + ": " + problem);
    }
    List<String> unused = new ArrayList<>();
    List<Manifest> sound = soundSnapshots(disk, identity, files, unused);
    List<EntryId> lasts = sound.stream().map(each -> each.meta().last()).toList();
    Rebuild rebuild = Rebuild.of(log, lasts);
    for (EntryId last : lasts) {
      String whyNot = Rebuild.whyNot(log, last, rebuild);
      if (whyNot != null) {
        unused.add("snapshot " + last + ": " + whyNot);
      }
    }
    if (rebuild == null) {
      throw new DataDirectoryException(
          ("%s: the state is of no use: %s. It cannot be built anew: left are %s of the log, and"
                  + " %s%s. %s")
              .formatted(
                  disk.location(),
                  problem,
                  entries(log),
                  sound.isEmpty() ? "no sound snapshot" : "snapshots " + lasts,
                  unused.isEmpty() ? "" : " (" + String.join("; ", unused) + ")",
                  ADVICE));
    }
    EntryId base = rebuild.base();
    Manifest snapshot =
        sound.stream().filter(each -> each.meta().last().equals(base)).findFirst().orElse(null);
    Membership membership = snapshot == null ? Membership.EMPTY : snapshot.meta().membership();
    return new Basis(base, membership, problem, rebuild, snapshot, unused);
  }

  /**
   * Those of which every byte is right, and every row can be read.
   *
   * @param unused to be told the others, and why
   */
  private static List<Manifest> soundSnapshots(
      Disk disk, Identity identity, Recovery.StateFiles files, List<String> unused) {
    List<Manifest> sound = new ArrayList<>();
    for (SnapshotInspection each : DirectoryReport.snapshots(disk)) {
      Manifest manifest = each.manifest();
      String problem = problem(disk, identity, files, each);
      if (manifest != null && problem == null) {
        sound.add(manifest);
      } else {
        unused.add(
            "snapshot "
                + (manifest == null ? each.location() : manifest.meta().last())
                + ": "
                + problem);
      }
    }
    return sound;
  }

  private static @Nullable String problem(
      Disk disk, Identity identity, Recovery.StateFiles files, SnapshotInspection found) {
    Manifest manifest = found.manifest();
    if (manifest == null || found.problem() != null) {
      return String.valueOf(found.problem());
    }
    String cluster = manifest.clusterId();
    boolean isOurs =
        cluster.equals(identity.clusterId())
            || (!identity.ready() && identity.former().contains(cluster));
    if (!isOurs) {
      return "it is of another cluster, " + cluster;
    }
    return files.problem(filesOf(disk, manifest));
  }

  /** The files of a snapshot in a data directory. */
  static Disk filesOf(Disk disk, Manifest snapshot) {
    Disk snapshots = disk.directory(DataDirectory.SNAPSHOTS);
    return StoredSnapshot.open(snapshots.directory(snapshot.name())).files();
  }

  private static SurvivorLook of(
      Disk disk,
      Identity identity,
      Recovery.StateFiles files,
      HardState vote,
      LogInspection log,
      Basis basis) {
    Membership membership = basis.membership();
    if (membership.isEmpty()) {
      membership = Origin.find(disk).membership();
    }
    EntryId membershipId = EntryId.ZERO;
    long next = basis.applied().index() + 1;
    while (next <= log.last().index()) {
      List<Entry> page = log.entries(next, log.last().index() + 1, PAGE_BYTES_MAX);
      for (Entry entry : page) {
        if (entry.type() == EntryType.MEMBERSHIP) {
          membership = Membership.decode(entry.payload());
          membershipId = entry.id();
        }
      }
      next += page.size();
    }
    boolean isAlone =
        identity.ready()
            && !identity.former().isEmpty()
            && membership.members().equals(Set.of(identity.node()));
    Rebuild rebuild = basis.rebuild();
    Recovery.Report report =
        new Recovery.Report(
            identity.clusterId(),
            identity.node(),
            log.last(),
            basis.applied(),
            vote.currentTerm(),
            membership,
            isAlone,
            identity.state() == Identity.State.RECOVERING,
            vote.hasLost(),
            basis.problem(),
            isAlone && rebuild != null && rebuild.base().index() == 0 && isStateEmpty(disk),
            rebuild,
            basis.unused());
    return new SurvivorLook(files, report, membershipId, basis.snapshot());
  }

  /** Whether the node is the only member already. */
  boolean isAlone() {
    return report.membership().members().equals(Set.of(report.node()));
  }
}
