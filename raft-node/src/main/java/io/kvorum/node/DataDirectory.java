package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.log.CorruptLogException;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogInspection;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.snapshot.SnapshotStore;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Everything a node remembers, in one directory that one node at a time may use:
 *
 * <pre>
 *   LOCK       held while a node runs
 *   identity   cluster, node, incarnation
 *   peers      the incarnations of the other members
 *   origin     the members that the group began with
 *   vote       term and vote
 *   installing which snapshot, while state and log are being replaced by one
 *   quarantine that the state is not that of the majority, or once was not
 *   diverged/  the last such state
 *   log/       segments
 *   state/     what the state machine keeps
 *   snapshots/ a directory for each
 *   reserve    space for when there is none
 *   damaged/   what of the log was damaged when it was last repaired; damaged-state/ likewise
 * </pre>
 *
 * <p>A directory in which a part is missing is refused: a node that has forgotten its vote or its
 * log could help to undo what was acknowledged (FAULTS F048).
 */
public final class DataDirectory implements AutoCloseable {
  static final String LOCK = "LOCK";
  static final String LOG = "log";
  static final String STATE = "state";
  static final String SNAPSHOTS = "snapshots";

  /** The last state that was found damaged, for a person to look at. */
  static final String DAMAGED_STATE = "damaged-state";

  private final Disk disk;
  private final DiskLock lock;
  private Identity identity;

  /** Once it was asked for. */
  private @Nullable Origin origin;

  /** Once it was asked for. */
  private @Nullable DiskSpace space;

  private DataDirectory(Disk disk, DiskLock lock, Identity identity) {
    this.disk = disk;
    this.lock = lock;
    this.identity = identity;
  }

  /**
   * Locks the directory and makes sure that it is this node's; makes it so when it is empty.
   *
   * @param random where the incarnation of a new directory comes from; must differ between nodes
   * @throws io.kvorum.disk.DirectoryInUseException if another node uses it
   * @throws DataDirectoryException if it is another node's or cluster's, or damaged
   */
  public static DataDirectory open(
      Disk disk, String clusterId, NodeId node, RandomGenerator random) {
    DiskLock lock = disk.lock(LOCK);
    boolean opened = false;
    try {
      DataDirectory directory =
          new DataDirectory(disk, lock, identify(disk, clusterId, node, random));
      opened = true;
      return directory;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  private static Identity identify(
      Disk disk, String clusterId, NodeId node, RandomGenerator random) {
    if (disk.exists(Identity.FILE)) {
      Identity found = Identity.read(disk);
      check(
          found.clusterId().equals(clusterId),
          disk.location()
              + " belongs to cluster "
              + found.clusterId()
              + ", this node was told cluster "
              + clusterId
              + ": correct the cluster id, or choose another data directory");
      check(
          found.node().equals(node),
          disk.location()
              + " belongs to node "
              + found.node()
              + ", this node was told it is "
              + node
              + ": correct the node id, or choose another data directory");
      check(
          found.state() != Identity.State.RECOVERING,
          disk.location()
              + " is half recovered: run the recovery to cluster "
              + clusterId
              + " again, it goes on where it was cut short");
      if (found.ready()) {
        checkComplete(disk);
        checkVersions(disk);
      }
      return found;
    }
    check(
        !disk.exists(VoteFile.NAME) && !LogStore.exists(disk.directory(LOG)),
        disk.location() + " holds a log or a vote but no identity file: bring the file back");
    Identity created =
        new Identity(clusterId, node, random.nextLong(), Identity.State.INITIALIZING);
    created.write(disk);
    return created;
  }

  /** Asked before anything is opened, so that a refusal leaves everything as it was. */
  static void checkComplete(Disk disk) {
    check(
        disk.exists(VoteFile.NAME),
        disk.location()
            + " has no vote file, so this node no longer knows for whom it voted: bring the file"
            + " back. Without it the node can only return as a new member, with an empty directory"
            + " and under a new id: kvorum members replace");
    check(
        disk.exists(KnownPeers.FILE),
        disk.location()
            + " has no file \"peers\", so this node could take a peer that lost its disk for the"
            + " voter it was: bring the file back");
    check(
        LogStore.exists(disk.directory(LOG)),
        disk.directory(LOG).location()
            + " holds no log, but this node once had one: bring it back."
            + " Without it the node can only return as a new member, with an empty directory and"
            + " under a new id: kvorum members replace");
  }

  /** Whoever has gone back to an older version is told so before anything is opened. */
  private static void checkVersions(Disk disk) {
    try {
      LogInspection.checkVersions(disk.directory(LOG));
      var unusedVote = VoteFile.peek(disk);
    } catch (CorruptLogException found) {
      if (found.isOfAnotherVersion()) {
        throw new DataDirectoryException(String.valueOf(found.getMessage()));
      }
      // Damage is judged where it can be mended.
    }
    if (disk.exists(Origin.FILE)) {
      var unusedOrigin = Origin.read(disk);
    }
    var unusedInstall = new InstallMark(disk).find();
    var unusedQuarantine = new QuarantineMark(disk).find();
    var unusedPeers = KnownPeers.read(disk);
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new DataDirectoryException(message);
    }
  }

  /**
   * What the group began with: with what this directory was made, whatever is configured now. To be
   * called before {@link #openLog}.
   *
   * @param configured the voters that a new directory begins with; empty: it is to join a group. A
   *     directory of a version that did not remember this counts as made with them
   * @throws DataDirectoryException if such a directory is told to join, which it may have done or
   *     not
   */
  public Membership origin(Membership configured) {
    return begun(configured).membership();
  }

  private Origin begun(Membership configured) {
    Origin begun = origin;
    if (begun == null) {
      begun = readOrBegin(configured);
      origin = begun;
    }
    return begun;
  }

  private Origin readOrBegin(Membership configured) {
    if (identity.ready() && disk.exists(Origin.FILE)) {
      return Origin.read(disk);
    }
    check(
        !identity.ready() || !configured.isEmpty(),
        disk.location()
            + " was made by a version of Kvorum in which nodes could not join: start it once with"
            + " the members that its cluster began with, and without \"join\"");
    Origin begun = Origin.of(configured);
    begun.write(disk);
    return begun;
  }

  /**
   * Its space, always the same object. To be asked for first of all: on a full disk the reserve
   * makes room for what a start writes.
   */
  public DiskSpace space(SpaceConfig config) {
    DiskSpace watched = space;
    if (watched == null) {
      watched = DiskSpace.open(disk, config);
      space = watched;
    }
    return watched;
  }

  /** Told to the peers: see {@link KnownPeers}. */
  public long incarnation() {
    return identity.incarnation();
  }

  /** Where the state machine keeps what it has applied. */
  public Disk stateDirectory() {
    return disk.directory(STATE);
  }

  /** Whether a node has run here before: then there was a state, too. */
  public boolean isReady() {
    return identity.ready();
  }

  /**
   * The state is damaged: on return its directory is empty, durably, and what was in it is kept
   * beside it, in the place of what was kept there before. It must be closed.
   *
   * @return where it is kept
   */
  public String setStateAside() {
    return setStateAside(disk);
  }

  static String setStateAside(Disk disk) {
    disk.deleteDirectory(DAMAGED_STATE);
    disk.renameDirectory(STATE, DAMAGED_STATE);
    disk.directory(STATE);
    disk.syncDirectory();
    return disk.directory(DAMAGED_STATE).location();
  }

  /** Opens the snapshots. Called once, before {@link #finishInstall} and {@link #openLog}. */
  public SnapshotStore openSnapshots() {
    return SnapshotStore.open(disk.directory(SNAPSHOTS), identity.clusterId());
  }

  /** What says across a crash that a snapshot is being installed. */
  public InstallMark installMark() {
    return new InstallMark(disk);
  }

  /** What says across a crash that the state was found to be wrong. */
  public QuarantineMark quarantineMark() {
    return new QuarantineMark(disk);
  }

  /**
   * Finishes the installation of a snapshot that was cut short: before the state is opened.
   *
   * @param replace replaces the whole state, durably, by that of these files
   * @param config of the log
   * @return whether there was one
   * @throws DataDirectoryException if the snapshot is not there, or damaged
   */
  public boolean finishInstall(
      SnapshotStore snapshots, LogConfig config, RandomGenerator random, Consumer<Disk> replace) {
    return installs(config, random).finish(snapshots, replace);
  }

  /**
   * Makes a snapshot the state, where the state is lost or older than the beginning of the log.
   * Called while the state is closed, if {@link #isStateBehind} says so.
   *
   * @param replace as for {@link #finishInstall}
   * @return whether it was done; if not, no sound snapshot fits the log
   */
  public boolean restoreState(
      SnapshotStore snapshots, LogConfig config, RandomGenerator random, Consumer<Disk> replace) {
    return installs(config, random).restore(snapshots, replace);
  }

  private UnfinishedInstall installs(LogConfig config, RandomGenerator random) {
    LogRepair repair = new LogRepair(disk, identity.node(), config, random);
    return new UnfinishedInstall(disk, installMark(), repair);
  }

  /** Whether entries that the state lacks are not in the log any more. */
  public boolean isStateBehind(EntryId applied) {
    return identity.ready() && LogStore.firstIndex(disk.directory(LOG)) > applied.index() + 1;
  }

  /**
   * Told to the peers, and asked of them.
   *
   * @param configured as for {@link #origin}
   */
  public GroupMark groupMark(Membership configured) {
    return new GroupMark(disk, begun(configured));
  }

  /** The peers met so far. */
  public KnownPeers knownPeers() {
    return KnownPeers.read(disk);
  }

  /**
   * Opens vote file and log, or makes them in a directory that never had any. Called once. A log
   * that is damaged where it was durable is repaired, if the node's group is able to ({@link
   * LogRepair}).
   *
   * @param background where the log prepares segments, and notes how far it is durable
   * @param random for the ids of segments
   * @param applied what the state machine has durably applied: so much the log once held
   * @param restored the members as of it, empty if it knows none; null: a damaged log is refused,
   *     since a node that keeps no snapshots could not stand for what is cut
   * @throws io.kvorum.log.CorruptLogException if the log is damaged and cannot be repaired
   */
  public Opened openLog(
      LogConfig config,
      Executor background,
      RandomGenerator random,
      EntryId applied,
      @Nullable Membership restored) {
    Disk logDirectory = disk.directory(LOG);
    if (!identity.ready()) {
      // A start that was cut short before the node promised anything to anybody: begin again.
      logDirectory.list().forEach(logDirectory::delete);
      if (disk.exists(VoteFile.NAME)) {
        disk.delete(VoteFile.NAME);
      }
    }
    VoteFile vote = VoteFile.open(disk, identity.ready());
    boolean opened = false;
    try {
      LogStore log =
          restored == null || !identity.ready()
              ? LogStore.open(logDirectory, config, background, random, applied.index())
              : new LogRepair(disk, identity.node(), config, random)
                  .open(vote, background, applied, members(restored));
      if (!identity.ready()) {
        KnownPeers.create(disk);
        identity = identity.with(Identity.State.READY);
        identity.write(disk);
      }
      opened = true;
      return new Opened(vote, log);
    } finally {
      if (!opened) {
        vote.close();
      }
    }
  }

  /** What the log has said last; as long as it has not, what the group began with. */
  private Membership members(Membership restored) {
    return restored.isEmpty() ? Origin.find(disk).membership() : restored;
  }

  /** What {@link #openLog} has opened; belongs to the caller. */
  public record Opened(VoteFile voteFile, LogStore log) implements AutoCloseable {
    /** Closes both. */
    @Override
    public void close() {
      try {
        log.close();
      } finally {
        voteFile.close();
      }
    }
  }

  /** Gives the lock back. The log must be closed before. */
  @Override
  public void close() {
    lock.close();
  }
}
