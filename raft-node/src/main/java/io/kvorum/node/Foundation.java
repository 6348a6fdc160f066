package io.kvorum.node;

import io.kvorum.disk.Disk;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.log.VoteFile;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.HardState;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.snapshot.SnapshotStore;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a member of a new group remembers that begins with a state instead of with nothing: its log
 * is empty and goes on behind the last entry of that state. Every founder is made in this way, of
 * the same state, so each holds what counts as committed, and any of them may lead.
 *
 * <p>Nobody else can take part. Nodes of the cluster that the state is of neither talk to another
 * cluster id nor are talked to (FAULTS F152). Founders that were made of different states under one
 * cluster id have different {@link GroupMark}s, so two of them never count each other's votes.
 *
 * @param clusterId of the new cluster
 * @param former of the cluster that the state is of: this directory can never become one of it
 * @param node that may use the directory
 * @param voters of the new group, {@code node} among them
 * @param last the entry that the state is as of
 * @param mark a number, not 0, that is the same for all founders exactly if they have the same
 *     state
 */
public record Foundation(
    String clusterId, String former, NodeId node, Membership voters, EntryId last, long mark) {
  public Foundation {
    new NodeId(clusterId);
    if (clusterId.equals(former)) {
      throw new IllegalArgumentException(
          "the new cluster id must differ from "
              + former
              + ", to which the state belongs: else nodes of that cluster could join this one");
    }
    if (!voters.voters().contains(node)) {
      throw new IllegalArgumentException(node + " is not among the members " + voters.voters());
    }
    if (last.index() < 1 || mark == 0) {
      throw new IllegalArgumentException("a state as of " + last + " with the mark " + mark);
    }
  }

  /** Where the state machine shall keep the state, in a directory that is becoming a node's. */
  public static Disk stateDirectory(Disk directory) {
    return directory.directory(DataDirectory.STATE);
  }

  /** Where a snapshot of the state shall be, with which others can join; as above. */
  public static SnapshotStore snapshots(Disk directory, String clusterId) {
    return SnapshotStore.open(directory.directory(DataDirectory.SNAPSHOTS), clusterId);
  }

  /**
   * Writes all the rest, durably. The directory must have held no node before; a call that is cut
   * short leaves nothing that a node starts on.
   *
   * @param random for the incarnation, and for the ids of segments
   */
  public void write(Disk directory, LogConfig config, RandomGenerator random) {
    Identity identity =
        new Identity(
            clusterId, node, random.nextLong(), Identity.State.RECOVERING, List.of(former));
    identity.write(directory);
    try (VoteFile vote = VoteFile.open(directory, false)) {
      // Nobody of this group has voted in that term, in which the last entry is.
      vote.store(new HardState(last.term(), null));
    }
    Disk logDirectory = directory.directory(DataDirectory.LOG);
    try (LogStore log = LogStore.open(logDirectory, config, Runnable::run, random, 0)) {
      log.reset(last);
    }
    KnownPeers.create(directory);
    Origin.of(voters).restoredFrom(mark).write(directory);
    identity.with(Identity.State.READY).write(directory);
    DataDirectory.checkComplete(directory);
  }
}
