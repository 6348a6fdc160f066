package io.kvorum.node;

import io.kvorum.log.LogStore;
import io.kvorum.log.SegmentInfo;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus;
import java.util.List;

/**
 * Gives up what the log holds beside a snapshot, in whole segments, lowest first. Never what is not
 * in a snapshot; never while less than the configured bytes would stay, from which members that are
 * a little behind are fed; and never what follows a snapshot that somebody is being sent, or he
 * would need another one when he has it (FAULTS F066). Used on the loop.
 */
final class LogCompaction {
  private final long keptBytes;
  private final RaftCore core;
  private final LogStore log;
  private final LogWriter writer;

  LogCompaction(long keptBytes, RaftCore core, LogStore log, LogWriter writer) {
    this.keptBytes = keptBytes;
    this.core = core;
    this.log = log;
    this.writer = writer;
  }

  /**
   * Cuts what can be cut now.
   *
   * @param snapshotIndex up to here a snapshot stands for the log, and the core knows it
   * @param sentIndex the oldest snapshot that is being sent ends here
   */
  void run(long snapshotIndex, long sentIndex) {
    EntryId cut = cut(log.segments(), Math.min(snapshotIndex, sentIndex));
    if (cut.index() > 0) {
      core.compacted(cut);
      writer.cut(cut.index());
    }
  }

  private EntryId cut(List<SegmentInfo> segments, long index) {
    long limit = index;
    for (RaftStatus.Progress progress : core.status().progress().values()) {
      if (progress.snapshotIndex() > 0) {
        limit = Math.min(limit, progress.snapshotIndex());
      }
    }
    long left = 0;
    for (SegmentInfo segment : segments) {
      left += segment.bytes();
    }
    long cut = 0;
    for (SegmentInfo segment : segments) {
      left -= segment.bytes();
      if (!segment.sealed() || segment.lastIndex() > limit || left < keptBytes) {
        break;
      }
      cut = segment.lastIndex();
    }
    return cut == 0 ? EntryId.ZERO : new EntryId(cut, log.term(cut));
  }
}
