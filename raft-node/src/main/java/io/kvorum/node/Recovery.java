package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskLock;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
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
  private static final long PAGE_BYTES_MAX = 4 << 20;

  private final Disk disk;
  private final DiskLock lock;
  private final RandomGenerator random;
  private Identity identity;
  private @Nullable VoteFile vote;
  private @Nullable LogStore log;
  private Membership membership = Membership.EMPTY;
  private EntryId membershipId = EntryId.ZERO;

  private Recovery(Disk disk, DiskLock lock, RandomGenerator random, Identity identity) {
    this.disk = disk;
    this.lock = lock;
    this.random = random;
    this.identity = identity;
  }

  /**
   * What a directory holds: to be compared with those of the other survivors.
   *
   * @param last of the log. The survivor in which it is the greatest, first by term, then by index,
   *     has lost least
   * @param applied what the state machine has durably applied: surely committed
   * @param term the newest that the node has seen
   * @param membership the newest in its log, committed or not; empty if it never had any
   * @param half whether a recovery to {@code clusterId} was begun and cut short
   * @param lacking whether the log has lost entries that it had promised to keep ({@link
   *     LogRepair})
   */
  public record Report(
      String clusterId,
      NodeId node,
      EntryId last,
      EntryId applied,
      long term,
      Membership membership,
      boolean half,
      boolean lacking) {}

  /**
   * Locks a directory.
   *
   * @param random for the new incarnation, and for the ids of segments
   * @throws io.kvorum.disk.DirectoryInUseException if a node runs on it
   * @throws DataDirectoryException if it is another node's, or lacks a part
   */
  public static Recovery open(Disk disk, NodeId node, RandomGenerator random) {
    check(disk.exists(Identity.FILE), disk.location() + " is no data directory of a node");
    DiskLock lock = disk.lock(DataDirectory.LOCK);
    boolean opened = false;
    try {
      Identity identity = Identity.read(disk);
      check(
          identity.node().equals(node),
          disk.location() + " belongs to node " + identity.node() + ", not to " + node);
      check(
          identity.state() != Identity.State.INITIALIZING,
          disk.location() + " was never in use: there is nothing to recover");
      DataDirectory.checkComplete(disk);
      check(
          new InstallMark(disk).find() == null,
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
      if (!opened) {
        lock.close();
      }
    }
  }

  /** Where the state machine keeps what it has applied. */
  public Disk stateDirectory() {
    return disk.directory(DataDirectory.STATE);
  }

  /**
   * Opens vote and log, as a start of the node would, and says what is there. Called once.
   *
   * @param applied what the state machine has durably applied
   * @param restored the membership as of it; empty if it knows none
   * @throws io.kvorum.log.CorruptLogException if log or vote is damaged
   * @throws DataDirectoryException if log and state do not belong together
   */
  public Report inspect(LogConfig config, EntryId applied, Membership restored) {
    VoteFile openedVote = VoteFile.open(disk, true);
    vote = openedVote;
    LogStore opened =
        LogStore.open(
            disk.directory(DataDirectory.LOG), config, Runnable::run, random, applied.index());
    log = opened;
    boolean fits = applied.index() >= opened.compacted().index();
    check(
        fits
            && opened.last().index() >= applied.index()
            && termAt(opened, applied) == applied.term(),
        disk.location() + ": the log does not hold " + applied + ", which the state has applied");
    membership = restored;
    if (restored.isEmpty()) {
      membership = Origin.find(disk).membership();
    }
    findMembership(opened, applied.index() + 1);
    return report(openedVote, opened, applied);
  }

  private static long termAt(LogStore log, EntryId id) {
    return id.index() == 0 ? 0 : log.term(id.index());
  }

  private Report report(VoteFile openedVote, LogStore opened, EntryId applied) {
    return new Report(
        identity.clusterId(),
        identity.node(),
        opened.last(),
        applied,
        openedVote.load().currentTerm(),
        membership,
        identity.state() == Identity.State.RECOVERING,
        LogRepair.isRepairing(openedVote));
  }

  private void findMembership(LogStore opened, long from) {
    long next = from;
    while (next <= opened.last().index()) {
      List<Entry> page = opened.entries(next, opened.last().index() + 1, PAGE_BYTES_MAX);
      for (Entry entry : page) {
        if (entry.type() == EntryType.MEMBERSHIP) {
          membership = Membership.decode(entry.payload());
          membershipId = entry.id();
        }
      }
      next += page.size();
    }
  }

  /**
   * Makes this node the only member of a new cluster, durably. Called after {@link #inspect}.
   *
   * @param newClusterId other than the present one, unless all this was done before; and other than
   *     all that this directory ever belonged to
   * @return whether anything was done; false if it had been
   * @throws IllegalArgumentException if the cluster id is malformed, or not a new one
   * @throws DataDirectoryException if it is another one than that of a recovery which was cut short
   */
  public boolean recover(String newClusterId) {
    new NodeId(newClusterId);
    VoteFile openedVote = vote;
    LogStore opened = log;
    if (openedVote == null || opened == null) {
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
    } else if (isSame && isAlone()) {
      return false;
    } else if (isSame || identity.former().contains(newClusterId)) {
      throw new IllegalArgumentException(
          "the new cluster id must differ from "
              + newClusterId
              + ", to which "
              + disk.location()
              + " belongs or belonged: else lost members that come back could form the old group"
              + " again, beside this one");
    } else {
      // Anew: a copy of this directory that was not recovered must not pass for this one.
      List<String> former = new ArrayList<>(identity.former());
      former.add(identity.clusterId());
      identity =
          new Identity(
              newClusterId, identity.node(), random.nextLong(), Identity.State.RECOVERING, former);
      identity.write(disk);
    }
    // They are the old cluster's. State and log hold all that is in them.
    Disk snapshots = disk.directory(DataDirectory.SNAPSHOTS);
    snapshots.directories().forEach(snapshots::deleteDirectory);
    snapshots.syncDirectory();
    // Those who come next are new, whatever they are called. Another survivor may be recovered to
    // the same id: it has made another group.
    KnownPeers.create(disk);
    Origin.find(disk).of(GroupMark.of(identity.incarnation())).write(disk);
    if (!isAlone() || !membershipId.equals(opened.last())) {
      append(openedVote, opened);
    }
    identity = identity.with(Identity.State.READY);
    identity.write(disk);
    return true;
  }

  private boolean isAlone() {
    return membership.members().equals(new TreeSet<>(List.of(identity.node())));
  }

  private void append(VoteFile openedVote, LogStore opened) {
    long term = Math.max(openedVote.load().currentTerm(), opened.last().term()) + 1;
    // As if this node had been elected: nobody else can be in this term, nor in an earlier one.
    openedVote.store(new HardState(term, identity.node()));
    TreeMap<NodeId, String> addresses = new TreeMap<>(membership.addresses());
    addresses.keySet().retainAll(List.of(identity.node()));
    Membership alone =
        new Membership(
            new TreeSet<>(List.of(identity.node())), new TreeSet<>(), new TreeSet<>(), addresses);
    long index = opened.last().index() + 1;
    opened.append(List.of(new Entry(index, term, EntryType.MEMBERSHIP, alone.encode())));
    opened.sync();
    membership = alone;
    membershipId = new EntryId(index, term);
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new DataDirectoryException(message);
    }
  }

  /** Closes what was opened, and gives the lock back. */
  @Override
  public void close() {
    try {
      if (log != null) {
        log.close();
      }
    } finally {
      if (vote != null) {
        vote.close();
      }
      lock.close();
    }
  }
}
