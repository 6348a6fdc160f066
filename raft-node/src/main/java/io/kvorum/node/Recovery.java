package io.kvorum.node;

import static java.util.stream.Collectors.joining;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.HardState;
import io.kvorum.raft.InvariantViolation;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.snapshot.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes one survivor of a group that has lost its majority for good into a group of its own, under
 * a new cluster id. It breaks what Raft promises, since nobody is left to ask: writes that only the
 * lost nodes held are gone although they were acknowledged, and entries that no majority ever held
 * become committed. What it does keep: the lost nodes cannot join the new group, nor the new one
 * theirs, since neither talks to another cluster id (FAULTS F089, F152).
 *
 * <p>Works on the data directory while no node runs. {@link #recover} first durably names the new
 * cluster and marks the directory, so that no node starts on it, and takes the mark away last.
 * Between the two, at every instant, either the directory is the old one untouched, or only a
 * recovery may open it; running it again goes on.
 */
public final class Recovery implements AutoCloseable {
  private final Disk disk;
  private final RandomGenerator random;
  private Identity identity;
  private @Nullable DiskLock lock;
  private @Nullable SurvivorLook inspected;

  private Recovery(Disk disk, @Nullable DiskLock lock, RandomGenerator random, Identity identity) {
    this.disk = disk;
    this.lock = lock;
    this.random = random;
    this.identity = identity;
  }

  /** The state of a state machine, and what can become it. This class knows nothing of them. */
  public interface StateFiles {
    /** Reads all of the state that is there, and changes nothing. */
    FoundState read();

    /** Why what a snapshot's files hold cannot be read; null: all of it was. Changes nothing. */
    @Nullable String problem(Disk snapshot);

    /** Durably replaces the state by what a snapshot's files hold. */
    void replace(Disk snapshot);
  }

  /**
   * What was found of a state.
   *
   * @param applied the last entry in it, as it says; 0: nothing, or it cannot say
   * @param membership as of it; empty if it knows none
   * @param problem what is wrong with it; null: nothing, all of it was read
   * @param isOfAnotherVersion whether the problem is only that this version cannot read it
   */
  public record FoundState(
      EntryId applied,
      Membership membership,
      @Nullable String problem,
      boolean isOfAnotherVersion) {}

  /**
   * What a directory holds: to be compared with those of the other survivors.
   *
   * @param last of the log. The survivor in which it is the greatest, first by term, then by index,
   *     has lost least
   * @param applied what the state machine has durably applied, or what its state is built anew
   *     from: surely committed. 0 also if that is not known, since all of it is built from the log
   * @param term the newest that the node has seen
   * @param membership the newest in its log, committed or not; empty if it never had any
   * @param alone whether a recovery, or a restore, has made it the only member before
   * @param half whether a recovery to {@code clusterId} was begun and cut short
   * @param lacking whether the log has lost entries that it had promised to keep ({@link
   *     LogRepair})
   * @param stateProblem what is wrong with the state; null: nothing
   * @param leftToStart whether that is only what a recovery has left: it has put a damaged state
   *     aside, and the first start builds it anew from the log
   * @param rebuild from what a recovery builds it anew; null exactly if nothing is wrong with it
   * @param unused each snapshot from which that is not done, and why, in words
   */
  public record Report(
      String clusterId,
      NodeId node,
      EntryId last,
      EntryId applied,
      long term,
      Membership membership,
      boolean alone,
      boolean half,
      boolean lacking,
      @Nullable String stateProblem,
      boolean leftToStart,
      @Nullable Rebuild rebuild,
      List<String> unused) {

    /** Whether anything here says how much was surely committed. */
    public boolean isAppliedKnown() {
      return rebuild == null || rebuild.base().index() > 0;
    }
  }

  /**
   * Locks a directory, and changes nothing in it: where there is no file to lock, no node ever ran,
   * and none is made before {@link #recover}.
   *
   * @param random for the new incarnation, and for the ids of segments
   * @throws io.kvorum.disk.DirectoryInUseException if a node runs on it
   * @throws DataDirectoryException if it is another node's, or lacks a part
   */
  public static Recovery open(Disk disk, NodeId node, RandomGenerator random) {
    check(disk.exists(Identity.FILE), disk.location() + " is no data directory of a node");
    DiskLock lock = disk.exists(DataDirectory.LOCK) ? disk.lock(DataDirectory.LOCK) : null;
    boolean opened = false;
    try {
      Identity identity = Identity.read(disk);
      check(
          identity.node().equals(node),
          disk.location() + " belongs to node " + identity.node() + ", not to " + node);
      check(
          identity.state() != Identity.State.INITIALIZING,
          disk.location() + " was never in use: there is nothing to recover");
      List<Misplaced> misplaced = Misplaced.in(disk);
      check(
          misplaced.isEmpty(), misplaced.stream().map(Misplaced::toString).collect(joining("; ")));
      DataDirectory.checkComplete(disk);
      check(
          identity.state() == Identity.State.RECOVERING || new InstallMark(disk).find() == null,
          disk.location()
              + ": a snapshot is half installed. Start the node once, which needs no other member,"
              + " stop it, and recover then");
      QuarantineMark.Found quarantine = new QuarantineMark(disk).find();
      check(
          quarantine == null || !quarantine.isOpen(),
          disk.location()
              + ": its state is wrong, says the majority of its group, and nobody would be left to"
              + " rebuild it from. Recover another survivor, or restore a backup");
      opened = true;
      return new Recovery(disk, lock, random, identity);
    } finally {
      if (!opened && lock != null) {
        lock.close();
      }
    }
  }

  /**
   * Reads state, vote and log, all of them, and changes nothing.
   *
   * @throws DataDirectoryException if the log is damaged, or does not belong to the state; or if
   *     the state is damaged, and snapshot and log do not suffice to build it anew
   * @throws io.kvorum.log.CorruptLogException if the vote is damaged
   */
  public Report inspect(StateFiles files) {
    SurvivorLook look = SurvivorLook.at(disk, identity, files);
    inspected = look;
    return look.report();
  }

  /**
   * Makes this node the only member of a new cluster, durably. Called after {@link #inspect}, once.
   *
   * @param config of the log
   * @param newClusterId other than the present one, unless all this was done before; and other than
   *     all that this directory ever belonged to
   * @return whether anything was done; false if it had been
   * @throws IllegalArgumentException if the cluster id is malformed, or not a new one
   * @throws io.kvorum.disk.DirectoryInUseException if a node runs on the directory
   * @throws DataDirectoryException if it is another one than that of a recovery which was cut short
   */
  public boolean recover(LogConfig config, String newClusterId) {
    new NodeId(newClusterId);
    SurvivorLook seen = inspected;
    if (seen == null) {
      throw new IllegalStateException("not inspected");
    }
    boolean isSame = identity.clusterId().equals(newClusterId);
    if (identity.state() == Identity.State.RECOVERING) {
      check(
          isSame,
          disk.location()
              + " is half recovered to cluster "
              + identity.clusterId()
              + ": go on with that id, not with "
              + newClusterId);
    } else if (isSame && seen.isAlone()) {
      return false;
    } else if (isSame || identity.former().contains(newClusterId)) {
      throw new IllegalArgumentException(
          "the new cluster id must differ from "
              + newClusterId
              + ", to which "
              + disk.location()
              + " belongs or belonged: else lost members that come back could form the old group"
              + " again, beside this one");
    }
    if (lock == null) {
      lock = disk.lock(DataDirectory.LOCK);
    }
    try (VoteFile vote = VoteFile.open(disk, true);
        LogStore log = openLog(config, seen.report())) {
      recover(newClusterId, seen, vote, log);
      return true;
    }
  }

  private LogStore openLog(LogConfig config, Report seen) {
    Disk directory = disk.directory(DataDirectory.LOG);
    LogStore log = LogStore.open(directory, config, Runnable::run, random, seen.applied().index());
    if (!log.last().equals(seen.last())) {
      log.close();
      throw new InvariantViolation("the log ends with " + log.last() + ", but was seen: " + seen);
    }
    return log;
  }

  private void recover(String newClusterId, SurvivorLook seen, VoteFile vote, LogStore log) {
    if (identity.state() != Identity.State.RECOVERING) {
      // Anew: a copy of this directory that was not recovered must not pass for this one.
      List<String> former = new ArrayList<>(identity.former());
      former.add(identity.clusterId());
      identity =
          new Identity(
              newClusterId, identity.node(), random.nextLong(), Identity.State.RECOVERING, former);
      identity.write(disk);
    }
    if (seen.report().rebuild() != null) {
      rebuildState(seen);
    }
    // They are the old cluster's. State and log hold all that is in them.
    Disk snapshots = disk.directory(DataDirectory.SNAPSHOTS);
    snapshots.directories().forEach(snapshots::deleteDirectory);
    snapshots.syncDirectory();
    // Those who come next are new, whatever they are called. Another survivor may be recovered to
    // the same id: it has made another group.
    KnownPeers.create(disk);
    Origin.find(disk).of(GroupMark.of(identity.incarnation())).write(disk);
    if (!seen.isAlone() || !seen.membershipId().equals(log.last())) {
      append(seen.report(), vote, log);
    }
    identity = identity.with(Identity.State.READY);
    identity.write(disk);
  }

  /**
   * Puts the state aside, and what it is built from in its place; the first start applies the log.
   * A crash leaves what is seen as lost again, or the mark of the snapshot that was being put
   * there.
   */
  private void rebuildState(SurvivorLook seen) {
    InstallMark mark = new InstallMark(disk);
    if (mark.find() != null) {
      // Half a copy of a snapshot; what was there before it is put aside already.
      disk.deleteDirectory(DataDirectory.STATE);
    } else if (isStateThere()) {
      var unusedPlace = DataDirectory.setStateAside(disk);
    }
    Disk state = disk.directory(DataDirectory.STATE);
    Manifest snapshot = seen.base();
    if (snapshot != null) {
      mark.set(snapshot.name());
      seen.files().replace(SurvivorLook.filesOf(disk, snapshot));
    }
    state.syncDirectory();
    mark.clear();
  }

  private boolean isStateThere() {
    Disk state = DirectoryReport.state(disk);
    return state != null && !(state.list().isEmpty() && state.directories().isEmpty());
  }

  private void append(Report seen, VoteFile vote, LogStore log) {
    long term = Math.max(vote.load().currentTerm(), log.last().term()) + 1;
    // As if this node had been elected: nobody else can be in this term, nor in an earlier one.
    vote.store(new HardState(term, seen.node()));
    TreeSet<NodeId> alone = new TreeSet<>(List.of(seen.node()));
    TreeMap<NodeId, String> addresses = new TreeMap<>(seen.membership().addresses());
    addresses.keySet().retainAll(alone);
    Membership single = new Membership(alone, new TreeSet<>(), new TreeSet<>(), addresses);
    long index = log.last().index() + 1;
    log.append(List.of(new Entry(index, term, EntryType.MEMBERSHIP, single.encode())));
    log.sync();
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new DataDirectoryException(message);
    }
  }

  /** Gives the lock back. */
  @Override
  public void close() {
    if (lock != null) {
      lock.close();
    }
  }
}
