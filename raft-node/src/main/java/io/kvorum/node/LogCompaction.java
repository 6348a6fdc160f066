package io.kvorum.node;

import io.kvorum.log.LogStore;
import io.kvorum.log.SegmentInfo;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus.Progress;
import io.kvorum.snapshot.Manifest;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives up what the log holds beside a snapshot, in whole segments, lowest first, and never all
 * that is configured to stay. What somebody still needs stays longer:
 *
 * <ul>
 *   <li>what follows a snapshot that is being sent, and until its receiver has caught up, however
 *       much that is: else it would need another one when it has it, and so for ever (FAULTS F066);
 *   <li>what a follower that lives has not got, within the budget.
 * </ul>
 *
 * <p>Used on the loop.
 */
final class LogCompaction {
  private final SnapshotConfig config;
  private final RaftCore core;
  private final LogStore log;
  private final LogWriter writer;

  /** For so many runs, one in each election timeout, a silent one that recovers still counts. */
  private static final int SILENT_RUNS_MAX = 20;

  /**
   * They were offered a snapshot by this leader, and are not where the newest one ends; and for how
   * many runs each of them was silent.
   */
  private final Map<NodeId, Integer> recovering = new TreeMap<>();

  LogCompaction(SnapshotConfig config, RaftCore core, LogStore log, LogWriter writer) {
    this.config = config;
    this.core = core;
    this.log = log;
    this.writer = writer;
  }

  /** It was offered a snapshot. */
  void recovers(NodeId peer) {
    recovering.put(peer, 0);
  }

  /**
   * Cuts what can be cut now.
   *
   * @param snapshotIndex up to here a snapshot stands for the log, and the core knows it
   * @param neededIndex nothing behind this goes: here the oldest snapshot ends that is being sent,
   *     or the archive
   */
  void run(long snapshotIndex, long neededIndex) {
    SortedMap<NodeId, Progress> progress = core.status().progress();
    recovering.replaceAll((peer, runs) -> isActive(progress.get(peer)) ? 0 : runs + 1);
    recovering
        .entrySet()
        .removeIf(
            each -> {
              Progress now = progress.get(each.getKey());
              boolean isDone = now == null || now.matchIndex() >= snapshotIndex;
              return isDone || each.getValue() > SILENT_RUNS_MAX;
            });
    long bound = Math.min(snapshotIndex, neededIndex);
    long needed = Long.MAX_VALUE;
    for (Map.Entry<NodeId, Progress> peer : progress.entrySet()) {
      Progress now = peer.getValue();
      if (now.snapshotIndex() > 0) {
        bound = Math.min(bound, now.snapshotIndex());
      } else if (recovering.containsKey(peer.getKey()) && now.state() != Progress.State.SNAPSHOT) {
        bound = Math.min(bound, now.matchIndex());
      } else if (now.recentActive() && now.state() != Progress.State.SNAPSHOT) {
        needed = Math.min(needed, now.matchIndex());
      }
    }
    long cut = cut(log.segments(), bound, needed);
    if (cut > 0) {
      core.compacted(new EntryId(cut, log.term(cut)));
      writer.cut(cut);
    }
  }

  private static boolean isActive(@Nullable Progress progress) {
    return progress != null && progress.recentActive();
  }

  /** The last index of the last segment that can go; 0 if none can. */
  private long cut(List<SegmentInfo> segments, long bound, long needed) {
    long bytes = segments.stream().mapToLong(SegmentInfo::bytes).sum();
    long cut = 0;
    for (SegmentInfo segment : segments) {
      boolean isNeeded = segment.lastIndex() > needed && bytes <= config.logBudgetBytes();
      bytes -= segment.bytes();
      if (!segment.sealed()
          || segment.lastIndex() > bound
          || isNeeded
          || bytes < config.keptLogBytes()) {
        break;
      }
      cut = segment.lastIndex();
    }
    return cut;
  }

  /** How much of the log is behind a snapshot, by whole segments. */
  static long bytesBehind(LogStore log, @Nullable Manifest snapshot) {
    long index = snapshot == null ? 0 : snapshot.meta().last().index();
    long bytes = 0;
    for (SegmentInfo segment : log.segments()) {
      if (segment.sealed() && segment.firstIndex() > index) {
        bytes += segment.bytes();
      }
    }
    return bytes;
  }
}
