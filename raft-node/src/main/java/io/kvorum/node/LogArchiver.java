package io.kvorum.node;

import io.kvorum.log.CorruptArchiveException;
import io.kvorum.log.LogArchive;
import io.kvorum.log.LogStore;
import io.kvorum.log.SegmentInfo;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts what was applied into the archive: a file's worth when there is so much, and what there is
 * when it is old. The log is cut only behind what is there. What this node has never had in its
 * log, since it got a snapshot in its place, is missing in its archive; another member's has it.
 * Used on the loop; the work is done on the snapshot lane.
 */
final class LogArchiver {
  private static final Logger LOG = LoggerFactory.getLogger(LogArchiver.class);

  /** After a failure the next attempt waits for so long. */
  private static final long PAUSE_NANOS = 30_000_000_000L;

  private final LogStore log;
  private final LogArchive archive;
  private final SnapshotLane lane;
  private final Clock clock;
  private final Duration interval;
  private long archivedIndex;
  private long appliedIndex;
  private long bytesSince;
  private long lastNanos;
  private long pausedUntilNanos;
  private boolean isWriting;
  private SnapshotStatus.@Nullable ArchiveFailure failure;

  /**
   * An archiver.
   *
   * @param interval what was applied is archived after this time at the latest
   * @param appliedIndex of what the state machine starts with
   */
  LogArchiver(
      LogStore log,
      LogArchive archive,
      SnapshotLane lane,
      Clock clock,
      Duration interval,
      long appliedIndex) {
    this.log = log;
    this.archive = archive;
    this.lane = lane;
    this.clock = clock;
    this.interval = interval;
    this.appliedIndex = appliedIndex;
    archivedIndex = archive.lastIndex();
    lastNanos = clock.nanoTime();
    pausedUntilNanos = lastNanos;
  }

  /** Up to here the log may be cut. */
  long archivedIndex() {
    return archivedIndex;
  }

  /** Entries were applied. */
  void applied(List<Entry> entries) {
    entries.forEach(entry -> bytesSince += entry.sizeBytes());
    appliedIndex = entries.get(entries.size() - 1).index();
  }

  /** Begins if it is time. */
  void tick() {
    long now = clock.nanoTime();
    boolean isOld = now - lastNanos >= interval.toNanos();
    boolean isDue = bytesSince >= LogArchive.FILE_BYTES || isOld;
    long last = Math.min(appliedIndex, log.durableIndex());
    if (!isWriting && isDue && last > archivedIndex && now - pausedUntilNanos >= 0) {
      isWriting = true;
      long from = begin();
      lane.run(() -> write(from, last), this::written, this::failed);
    }
  }

  /** The first entry that is to be archived and still there. */
  private long begin() {
    long first = archivedIndex + 1;
    long compacted = log.compacted().index();
    if (compacted >= first) {
      if (archivedIndex > 0) {
        LOG.warn(
            "the log does not hold the entries {} to {}, which were not archived: see that another"
                + " member's archive has them, or take a backup",
            first,
            compacted);
      }
      return compacted + 1;
    }
    return first;
  }

  /** On the snapshot lane; gives the last index that is in the archive then. */
  private long write(long from, long last) {
    try {
      EntryId before = new EntryId(from - 1, from == 1 ? 0 : log.term(from - 1));
      List<Entry> entries = log.entries(from, last + 1, LogArchive.FILE_BYTES);
      archive.append(before, entries);
      return entries.get(entries.size() - 1).index();
    } catch (CorruptArchiveException notWritten) {
      throw new UncheckedIOException(new IOException(notWritten.getMessage(), notWritten));
    } catch (IllegalArgumentException gone) {
      // A snapshot has taken the place of the log meanwhile: the next attempt begins behind it.
      return archive.lastIndex();
    }
  }

  /**
   * Why the last attempts failed, since the first of them; null if the last one succeeded.
   *
   * @param cutIndex up to which the log would be cut if it were archived
   */
  SnapshotStatus.@Nullable ArchiveFailure failure(long cutIndex) {
    SnapshotStatus.ArchiveFailure now = failure;
    if (now == null) {
      return null;
    }
    long keptBytes =
        log.segments().stream()
            .filter(segment -> segment.sealed() && segment.lastIndex() <= cutIndex)
            .filter(segment -> segment.lastIndex() > archivedIndex)
            .mapToLong(SegmentInfo::bytes)
            .sum();
    return new SnapshotStatus.ArchiveFailure(now.why(), now.sinceMillis(), keptBytes);
  }

  private void written(long index) {
    isWriting = false;
    failure = null;
    archivedIndex = index;
    if (index >= appliedIndex) {
      bytesSince = 0;
      lastNanos = clock.nanoTime();
    }
  }

  private void failed(RuntimeException cause) {
    isWriting = false;
    long sinceMillis = failure == null ? clock.wallTimeMillis() : failure.sinceMillis();
    failure = new SnapshotStatus.ArchiveFailure(cause.toString(), sinceMillis, 0);
    pausedUntilNanos = clock.nanoTime() + PAUSE_NANOS;
    LOG.warn("the log could not be archived, and is not cut: {}", cause.toString());
  }
}
