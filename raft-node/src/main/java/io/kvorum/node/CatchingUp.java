package io.kvorum.node;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.Progress;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whether learners that are to vote come nearer, so that it is worth to wait for them. Each of them
 * has to: one that is dead must not hide behind one that is busy.
 *
 * <p>One that needs a snapshot first comes nearer as its parts are fetched, and then, while it
 * installs, shows nothing but that it lives: for that it gets a multiple of the patience. What it
 * fetches a second time does not count, nor what it fetches of ever new snapshots; so one whose
 * disk is full is given up in the end.
 *
 * <p>Used on the node's loop.
 */
final class CatchingUp {
  /** Parts of so many different snapshots count. */
  static final int SNAPSHOTS_MAX = 4;

  /**
   * What a node was sent of a snapshot.
   *
   * @param snapshot its name
   * @param bytes where the farthest part ends, all files counted as one
   */
  record Fetched(String snapshot, long bytes) {}

  private static final class Learner {
    private long matchIndex;
    private String snapshot = "";
    private long fetchedBytes;
    private int snapshots;
    private int stillTicks;
    private int silentTicks;
  }

  private final int patienceTicks;
  private final SortedMap<NodeId, Learner> learners = new TreeMap<>();

  CatchingUp(SortedSet<NodeId> nodes, int patienceTicks) {
    this.patienceTicks = patienceTicks;
    nodes.forEach(node -> learners.put(node, new Learner()));
  }

  /**
   * A tick has passed. Says whether to wait on.
   *
   * @param progress what the leader knows of each member
   * @param commitIndex who has so much can come no nearer
   * @param fetches what somebody was seen to fetch lately; null for whoever was not
   */
  boolean isWorthWaiting(
      SortedMap<NodeId, Progress> progress,
      long commitIndex,
      Function<NodeId, @Nullable Fetched> fetches) {
    boolean isWorth = true;
    for (NodeId node : learners.keySet()) {
      Learner learner = learners.get(node);
      Progress now = progress.get(node);
      boolean isNearer = fetchedMore(learner, fetches.apply(node));
      isNearer |= now != null && matchesMore(learner, now.matchIndex(), commitIndex);
      learner.stillTicks = isNearer ? 0 : learner.stillTicks + 1;
      boolean isSilent = now == null || !now.recentActive();
      learner.silentTicks = isSilent ? learner.silentTicks + 1 : 0;
      isWorth &= learner.silentTicks < patienceTicks && learner.stillTicks < patience(now);
    }
    return isWorth;
  }

  private int patience(@Nullable Progress now) {
    boolean needsSnapshot = now != null && now.state() == Progress.State.SNAPSHOT;
    return needsSnapshot ? SnapshotSender.INSTALL_PATIENCE * patienceTicks : patienceTicks;
  }

  private static boolean matchesMore(Learner learner, long matchIndex, long commitIndex) {
    boolean isNearer = matchIndex > learner.matchIndex || matchIndex >= commitIndex;
    learner.matchIndex = matchIndex;
    return isNearer;
  }

  private static boolean fetchedMore(Learner learner, @Nullable Fetched now) {
    if (now == null) {
      return false;
    }
    if (!now.snapshot().equals(learner.snapshot)) {
      learner.snapshot = now.snapshot();
      learner.fetchedBytes = 0;
      learner.snapshots++;
    }
    boolean isMore = now.bytes() > learner.fetchedBytes && learner.snapshots <= SNAPSHOTS_MAX;
    learner.fetchedBytes = Math.max(learner.fetchedBytes, now.bytes());
    return isMore;
  }
}
