package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a log directory before it is used: finishes what a crash has interrupted, refuses
 * what no crash explains.
 */
final class LogOpening {
  private final Disk directory;
  private final NextSegment next;
  private final LogConfig config;
  private final long knownDurable;
  private final List<Segment> segments = new ArrayList<>();
  private final List<DiskFile> files = new ArrayList<>();

  /** What was noted outside of the segments, by whoever wrote them last. */
  private @Nullable EntryId marked;

  private @Nullable DurableMark outside;

  /**
   * A log ready for use: everything in it is durable, everything behind it zero.
   *
   * @param end where the next record goes in the last segment
   * @param mark the highest durable index that the last segment's records speak of
   * @param outside says the same of {@code last}, outside of the segments
   */
  record Opened(List<Segment> segments, EntryId last, int end, long mark, DurableMark outside) {}

  LogOpening(Disk directory, LogConfig config, NextSegment next, long knownDurable) {
    this.directory = directory;
    this.config = config;
    this.next = next;
    this.knownDurable = knownDurable;
  }

  Opened run() {
    deleteLeftovers();
    Intent intent = Intent.load(directory);
    if (intent != null) {
      finish(intent);
    }
    marked = DurableMark.find(directory);
    List<String> names = segmentNames();
    if (names.isEmpty()) {
      long known = knownDurable(EntryId.ZERO);
      if (known > 0) {
        throw CorruptLogException.of(
            directory.location(),
            "there is no log, though entries up to " + known + " were durable");
      }
      segments.add(next.create(1, 0));
    } else {
      for (String name : names) {
        segments.add(open(name, name.equals(names.get(names.size() - 1))));
      }
    }
    checkNothingFollows(segments.get(segments.size() - 1));
    deleteLoneIndexes(segmentNames());
    return recover();
  }

  /** Up to where all entries were durable once, by what is known of a log that ends like this. */
  private long knownDurable(EntryId last) {
    return Math.max(knownDurable, DurableMark.provenIndex(marked, last));
  }

  /** Closes what was opened, when the log will not be used. */
  void abandon() {
    if (outside != null) {
      outside.close();
    }
    files.forEach(DiskFile::close);
    segments.forEach(segment -> segment.file().close());
  }

  /** Temporary files are what was not finished; nothing refers to them. */
  private void deleteLeftovers() {
    directory.list().stream().filter(name -> name.endsWith(".tmp")).forEach(directory::delete);
  }

  private List<String> segmentNames() {
    return directory.list().stream().filter(Segment::isSegment).toList();
  }

  /**
   * A segment gets its index after the next one got its name, and loses it before that one goes.
   */
  private void checkNothingFollows(Segment last) {
    if (directory.exists(Segment.indexName(last.name()))) {
      throw CorruptLogException.of(
          last.file().location(),
          "it has an index, so a segment followed it that is missing now, with entries that were"
              + " durable");
    }
  }

  /** Only a sealed segment has an index. */
  private void deleteLoneIndexes(List<String> names) {
    List<String> sealed =
        names.subList(0, names.size() - 1).stream().map(Segment::indexName).toList();
    directory.list().stream()
        .filter(name -> Segment.isIndex(name) && !sealed.contains(name))
        .forEach(directory::delete);
  }

  private Segment open(String name, boolean isLast) {
    DiskFile file = directory.open(name);
    files.add(file);
    // What a dead process wrote and did not sync may still be lost: read nothing before it is safe.
    file.sync();
    long size = file.size();
    ByteBuffer start = ByteBuffer.allocate((int) Math.min(size, SegmentHeader.PAGE_BYTES));
    file.read(0, start);
    SegmentHeader header = SegmentHeader.decode(file.location(), start.flip());
    if (header.firstIndex() != Segment.firstIndex(name)) {
      throw CorruptLogException.of(
          file.location(),
          "by its header it begins with entry "
              + header.firstIndex()
              + ", by its name with "
              + Segment.firstIndex(name));
    }
    if (size < header.bytes()) {
      if (!isLast) {
        throw CorruptLogException.of(
            file.location(), "it has " + size + " bytes of " + header.bytes());
      }
      // Cut short. What is missing is judged like any torn tail, with zeros in its place.
      extend(file, size, header.bytes());
      file.close();
      file = directory.open(name);
      files.add(file);
    }
    return new Segment(name, header, file, new SparseIndex());
  }

  private static void extend(DiskFile file, long from, long to) {
    ByteBuffer zeros = ByteBuffer.allocateDirect(SegmentHeader.PAGE_BYTES);
    for (long at = from; at < to; at += zeros.capacity()) {
      file.write(at, zeros.clear().limit((int) Math.min(zeros.capacity(), to - at)));
    }
    file.sync();
  }

  private Opened recover() {
    EntryId last = EntryId.ZERO;
    for (int i = 0; i < segments.size() - 1; i++) {
      last = recoverSealed(i, i == 0 ? null : last);
    }
    Segment active = segments.get(segments.size() - 1);
    checkFollows(active, segments.size() == 1 ? null : last);
    SegmentScan scan = SegmentScan.run(active, Long.MAX_VALUE);
    scan.checkTornTail(knownDurable(scan.last()));
    if (scan.last().index() > scan.mark()) {
      int from = active.endOf(scan.mark());
      SegmentWriter.rewrite(active, from, scan.end());
    }
    int dirtyEnd = SegmentWriter.lastNonZero(active.bytes()) + 1;
    if (dirtyEnd > scan.end()) {
      new Intent(Intent.Kind.SUFFIX, scan.last()).store(directory);
      SegmentWriter.zero(active, scan.end(), dirtyEnd);
      Intent.remove(directory);
    }
    directory.syncDirectory();
    DurableMark mark = DurableMark.open(directory, scan.last());
    outside = mark;
    return new Opened(segments, scan.last(), scan.end(), scan.mark(), mark);
  }

  /** Everything in a sealed segment was durable before the next one got its name. */
  private EntryId recoverSealed(int i, @Nullable EntryId before) {
    Segment segment = segments.get(i);
    Segment following = segments.get(i + 1);
    checkFollows(segment, before);
    EntryId last = new EntryId(following.firstIndex() - 1, following.header().termBefore());
    if (last.index() < segment.firstIndex()) {
      throw CorruptLogException.of(segment.file().location(), "a full segment without an entry");
    }
    if (!config.verifySealed() && SegmentIndexFile.load(directory, segment, last)) {
      return last;
    }
    SegmentScan scan = SegmentScan.run(segment, last.index());
    if (!scan.last().equals(last)) {
      throw CorruptLogException.at(
          segment.file().location(),
          scan.end(),
          scan.last().index() + 1,
          "the segment ends with entry "
              + scan.last()
              + ", but "
              + following.name()
              + " continues after "
              + last
              + ": a segment is missing, or this one is damaged");
    }
    SegmentIndexFile.write(directory, segment, last);
    return last;
  }

  private static void checkFollows(Segment segment, @Nullable EntryId before) {
    EntryId expected = new EntryId(segment.firstIndex() - 1, segment.header().termBefore());
    if (before != null && !before.equals(expected)) {
      throw CorruptLogException.at(
          segment.file().location(),
          0,
          before.index() + 1,
          "the segment continues after " + expected + ", the one before ends with " + before);
    }
  }

  private void finish(Intent intent) {
    long keep = intent.kind() == Intent.Kind.SUFFIX ? intent.id().index() : -1;
    List<String> names = new ArrayList<>(segmentNames());
    while (!names.isEmpty() && Segment.firstIndex(names.get(names.size() - 1)) > keep + 1) {
      Segment.delete(directory, names.remove(names.size() - 1));
    }
    if (intent.kind() == Intent.Kind.RESET) {
      next.create(intent.id().index() + 1, intent.id().term()).file().close();
    } else if (names.isEmpty()) {
      throw CorruptLogException.of(
          directory.location(), "the segment with entry " + keep + " is missing");
    } else {
      Segment segment = open(names.get(names.size() - 1), true);
      SegmentScan scan = SegmentScan.run(segment, keep);
      // What a truncation keeps was durable before the truncation began.
      if (scan.last().index() < keep) {
        scan.checkTornTail(keep);
      }
      SegmentWriter.zero(segment, scan.end(), segment.header().bytes());
      segment.file().close();
      String stale = Segment.indexName(segment.name());
      if (directory.exists(stale)) {
        directory.delete(stale);
        directory.syncDirectory();
      }
    }
    // It may speak of what has just gone, and until now that was no lie.
    DurableMark.open(directory, intent.id()).close();
    Intent.remove(directory);
  }
}
