package io.kvorum.server.inspect;

import io.kvorum.disk.Disk;
import io.kvorum.node.DirectoryReport;
import io.kvorum.node.Misplaced;
import io.kvorum.node.Rebuild;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.server.inspect.StateLook.Condition;
import io.kvorum.server.store.StateReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is left of one node.
 *
 * @param identity what the small files say
 * @param log null: there is none
 * @param state every row of it was read
 * @param rebuild from what the node builds its state anew; null: it need not, or cannot
 * @param unused each snapshot from which a lost state is not built anew, and why, in words
 * @param membership the newest that is known here, committed or not
 */
public record NodeLook(
    Path directory,
    DirectoryReport identity,
    @Nullable Log log,
    StateLook state,
    @Nullable Rebuild rebuild,
    List<SnapshotLook> snapshots,
    List<String> unused,
    Membership membership) {
  /** Who has more is worth more; of those who have the same, one that is sound. */
  public static final Comparator<NodeLook> WORTH =
      Comparator.comparing(NodeLook::last).thenComparing(NodeLook::isSound);

  /**
   * Of its log.
   *
   * @param last the last entry that is whole with all before it
   * @param highest so far it once reached, by what is left behind the damage
   * @param terms the first entry of each term, in order
   */
  public record Log(
      EntryId compacted,
      EntryId last,
      EntryId highest,
      List<EntryId> terms,
      List<String> damages,
      @Nullable String underWay) {
    private static Log of(LogLook found) {
      return new Log(
          found.compacted(),
          found.last(),
          found.highest(),
          found.terms(),
          found.damages(),
          found.underWay());
    }
  }

  /**
   * Looks at a directory and changes nothing in it.
   *
   * @param quiet the same directory
   */
  public static NodeLook at(Path directory, Quiet quiet) {
    return of(directory, quiet.disk());
  }

  private static NodeLook of(Path directory, Disk disk) {
    DirectoryReport identity = DirectoryReport.of(disk);
    StateLook state = StateLook.at(disk);
    List<SnapshotLook> snapshots = SnapshotLook.at(disk);
    EntryId applied = state.applied();
    Membership membership = state.membership().isEmpty() ? identity.origin() : state.membership();
    Log log = null;
    Rebuild rebuild = null;
    List<String> unused = List.of();
    try (LogLook found = LogLook.at(disk, identity.isRepairing() ? 0 : applied.index())) {
      if (found != null) {
        Membership newer = found.newestMembership(applied.index());
        membership = newer == null ? membership : newer;
        log = Log.of(found);
        boolean isLost = stateProblem(identity, log, state) != null;
        if (isLost && state.condition() != Condition.REFUSED) {
          rebuild = found.rebuild(sound(identity, snapshots));
          unused = unused(identity, snapshots, found, rebuild);
        }
      }
    }
    return new NodeLook(directory, identity, log, state, rebuild, snapshots, unused, membership);
  }

  private static List<EntryId> sound(DirectoryReport identity, List<SnapshotLook> snapshots) {
    List<EntryId> sound = new ArrayList<>();
    for (SnapshotLook each : snapshots) {
      SnapshotLook.About about = each.about();
      if (about != null && problem(identity, each) == null) {
        sound.add(about.last());
      }
    }
    return sound;
  }

  private static List<String> unused(
      DirectoryReport identity,
      List<SnapshotLook> snapshots,
      LogLook log,
      @Nullable Rebuild chosen) {
    List<String> unused = new ArrayList<>();
    for (SnapshotLook each : snapshots) {
      SnapshotLook.About about = each.about();
      String why = problem(identity, each);
      if (why == null && about != null) {
        why = log.whyNot(about.last(), chosen);
      }
      if (why != null) {
        unused.add("snapshot " + (about == null ? each.location() : about.last()) + ": " + why);
      }
    }
    return unused;
  }

  /** Until a recovery is done, the snapshots are of the cluster that it ends. */
  private static @Nullable String problem(DirectoryReport identity, SnapshotLook snapshot) {
    SnapshotLook.About about = snapshot.about();
    if (snapshot.problem() != null || about == null || identity.clusterId() == null) {
      return snapshot.problem();
    }
    return about.clusterId().equals(identity.clusterId()) || identity.isHalfRecovered()
        ? null
        : "it is of another cluster, " + about.clusterId();
  }

  /** The node's id, or where that is not known the directory. */
  public String name() {
    return identity.node() == null ? directory.toString() : identity.node().toString();
  }

  /** The last entry there is, as far as it can be relied upon. */
  public EntryId last() {
    EntryId applied = applied();
    return log == null || log.last().compareTo(applied) < 0 ? applied : log.last();
  }

  /** What its state has applied, or what that is built from; nothing if there is neither. */
  public EntryId applied() {
    if (rebuild != null) {
      return rebuild.base();
    }
    StateReport said = state.said();
    return said == null || state.problem() != null ? EntryId.ZERO : said.applied();
  }

  /** The entry that it has at this index; null if that is not known. */
  public @Nullable EntryId entry(long index) {
    EntryId applied = applied();
    if (index == applied.index()) {
      return applied;
    }
    if (log == null || index < log.compacted().index() || index > log.last().index()) {
      return null;
    }
    EntryId found = log.compacted();
    for (EntryId first : log.terms()) {
      found = first.index() <= index ? first : found;
    }
    return new EntryId(index, found.term());
  }

  /** Whether it knows that its log lacks what it has promised to keep. */
  public boolean isRepairing() {
    return identity.isRepairing();
  }

  /** All that is wrong, in words. A snapshot that is damaged is a copy, and not among it. */
  public List<String> problems() {
    List<String> all = new ArrayList<>(identity.problems());
    identity.misplaced().forEach(each -> all.add(each.toString()));
    if (identity.isUnused()) {
      return all;
    }
    if (log == null) {
      all.add(directory + ": there is no log");
    } else {
      all.addAll(log.damages());
    }
    String lost = stateProblem();
    if (lost != null) {
      all.add(lost);
    }
    String installing = identity.installing();
    if (installing != null && !isSoundSnapshot(installing)) {
      all.add(
          "the state was being replaced by snapshot "
              + installing
              + ", which is damaged or not there");
    }
    return all;
  }

  /** What is wrong with the state, but for what the next start does first of all; or null. */
  private @Nullable String stateProblem() {
    return stateProblem(identity, log, state);
  }

  private static @Nullable String stateProblem(
      DirectoryReport identity, @Nullable Log log, StateLook state) {
    if (identity.isUnused() || identity.installing() != null) {
      return null;
    }
    if (state.problem() != null
        || log == null
        || log.compacted().index() <= state.applied().index()) {
      return state.problem();
    }
    return "the log begins after %s, but the state ends with %s"
        .formatted(log.compacted(), state.applied());
  }

  private boolean isSoundSnapshot(String name) {
    return snapshots.stream()
        .anyMatch(each -> each.problem() == null && each.location().endsWith("/" + name));
  }

  /** Whether nothing at all is wrong, so that a node can start here and vote. */
  public boolean isSound() {
    return problems().isEmpty() && isTrusted();
  }

  /** Whether a node can start here and vote, since nothing is wrong but what it mends by itself. */
  public boolean isSoundOnceRebuilt() {
    return rebuild != null && problems().size() == 1 && isTrusted();
  }

  /** Whether a node can start here and vote, once what stands in the place of files is gone. */
  public boolean isSoundOnceCleared() {
    List<Misplaced> misplaced = identity.misplaced();
    return !misplaced.isEmpty() && problems().size() == misplaced.size() && isTrusted();
  }

  private boolean isTrusted() {
    return !isRepairing() && !identity.isQuarantined() && !identity.isHalfRecovered();
  }

  /** Whether a start would not see that the state is damaged, and use it. */
  public boolean isStateTakenForSound() {
    return stateProblem() != null && state.condition() == Condition.DAMAGED_WITHIN;
  }

  /** Whether it remembers for whom it has voted, and who it is: without that it cannot return. */
  public boolean canReturn() {
    return identity.problems().isEmpty() && log != null && !identity.isHalfRecovered();
  }

  /** Whether a cluster can be founded on what is here: {@code kvorum recover} would do it. */
  public boolean isRecoverable() {
    return canReturn()
        && identity.misplaced().isEmpty()
        && log != null
        && log.damages().isEmpty()
        && (stateProblem() == null || rebuild != null)
        && identity.installing() == null
        && !identity.isUnused()
        && !identity.isQuarantined();
  }
}
