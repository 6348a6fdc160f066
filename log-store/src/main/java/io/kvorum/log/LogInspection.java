package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a log and changes nothing in it: which entries are there and whole, from the first one
 * on, and all that is damaged. Where {@link LogStore#open} would refuse, this goes on, file by
 * file. Nobody may have the log open.
 */
public final class LogInspection implements AutoCloseable {
  private final Disk directory;
  private final List<LogDamage> damages = new ArrayList<>();
  private final List<DiskFile> files = new ArrayList<>();

  /** Consecutive ones from the first on; the last of them may be whole only in part. */
  private final List<Segment> segments = new ArrayList<>();

  private EntryId last = EntryId.ZERO;
  private EntryId highest = EntryId.ZERO;
  private boolean isBroken;
  private @Nullable String underWay;

  /** What was noted outside of the segments: so far everything was durable. */
  private @Nullable EntryId marked;

  private LogInspection(Disk directory) {
    this.directory = directory;
  }

  /**
   * Reads all files of a log.
   *
   * @param knownDurableIndex as for {@link LogStore#open}
   */
  public static LogInspection of(Disk directory, long knownDurableIndex) {
    LogInspection inspection = new LogInspection(directory);
    boolean complete = false;
    try {
      inspection.run(knownDurableIndex);
      complete = true;
      return inspection;
    } finally {
      if (!complete) {
        inspection.close();
      }
    }
  }

  /** All that is wrong, in order of the files. Empty: the log would be opened. */
  public List<LogDamage> damages() {
    return List.copyOf(damages);
  }

  /** The entry before the first that can be read. */
  public EntryId compacted() {
    if (segments.isEmpty()) {
      return last;
    }
    SegmentHeader first = segments.get(0).header();
    return new EntryId(first.firstIndex() - 1, first.termBefore());
  }

  /** The last entry up to which the log is whole from its first one on. */
  public EntryId last() {
    return last;
  }

  /**
   * The greatest id that is known of, also behind damage: so far, at least, the log once reached.
   */
  public EntryId highest() {
    EntryId found = highest.compareTo(last) > 0 ? highest : last;
    return marked != null && marked.compareTo(found) > 0 ? marked : found;
  }

  /** What a crash has interrupted and the next start will finish, in words; null: nothing. */
  public @Nullable String underWay() {
    return underWay;
  }

  /** The segments from the first one on, up to where the log is whole. */
  public List<SegmentInfo> segments() {
    return segments.isEmpty() ? List.of() : LogView.of(segments, last).infos();
  }

  /**
   * Reads entries, each verified.
   *
   * @param from above {@link #compacted}
   * @param to exclusive, at most {@code last().index() + 1}
   * @param bytesMax bytes of entries; the first one is free of it
   */
  public List<Entry> entries(long from, long to, long bytesMax) {
    List<Entry> result = new ArrayList<>();
    LogView view = LogView.of(segments, last);
    view.checkReadable(from, to);
    long left = bytesMax;
    while (left >= 0 && from + result.size() < to) {
      left = view.read(from + result.size(), to, left, result);
    }
    return result;
  }

  @Override
  public void close() {
    files.forEach(DiskFile::close);
  }

  private void run(long knownDurable) {
    List<String> names =
        new ArrayList<>(directory.list().stream().filter(Segment::isSegment).toList());
    long limit = Long.MAX_VALUE;
    Intent intent = intent();
    if (intent != null) {
      underWay = "a truncation to " + intent.id();
      limit = intent.kind() == Intent.Kind.SUFFIX ? intent.id().index() : -1;
      long keep = limit;
      names.removeIf(name -> Segment.firstIndex(name) > keep + 1);
    } else {
      marked = marked();
    }
    if (limit < 0) {
      last = intent == null ? EntryId.ZERO : intent.id();
      return;
    }
    if (names.isEmpty()) {
      damaged(new LogDamage(directory.location(), 0, 0, "there is no log"));
      return;
    }
    for (int i = 0; i < names.size(); i++) {
      String next = i + 1 < names.size() ? names.get(i + 1) : null;
      inspect(names.get(i), next, limit, knownDurable);
    }
  }

  private @Nullable Intent intent() {
    try {
      return Intent.load(directory);
    } catch (CorruptLogException e) {
      damaged(e.damage());
      return null;
    }
  }

  /** If it is damaged, the segments may be whole all the same. */
  private @Nullable EntryId marked() {
    try {
      return DurableMark.find(directory);
    } catch (CorruptLogException e) {
      damages.add(e.damage());
      return null;
    }
  }

  private void damaged(LogDamage damage) {
    damages.add(damage);
    isBroken = true;
  }

  private void inspect(String name, @Nullable String next, long limit, long knownDurable) {
    Segment segment = open(name, next == null);
    if (segment == null) {
      return;
    }
    SegmentHeader header = segment.header();
    EntryId before = new EntryId(header.firstIndex() - 1, header.termBefore());
    boolean follows = segments.isEmpty() || isBroken || before.equals(last);
    if (!follows) {
      damaged(
          new LogDamage(
              segment.file().location(),
              0,
              last.index() + 1,
              "the segment continues after " + before + ", the one before ends with " + last));
    }
    boolean isPrefix = !isBroken;
    SegmentScan scan = SegmentScan.look(segment, e -> damaged(e.damage()));
    if (isPrefix) {
      segments.add(segment);
      last = scan.last();
    }
    if (next != null) {
      checkFull(segment, scan, Segment.firstIndex(next) - 1);
    } else {
      long proven = DurableMark.provenIndex(marked, scan.last());
      checkEnd(segment, scan, Math.min(limit, Math.max(proven, knownDurable)), limit);
    }
    EntryId found = isBroken ? scan.highestBehind() : scan.last();
    highest = found.compareTo(highest) > 0 ? found : highest;
  }

  private void checkFull(Segment segment, SegmentScan scan, long lastIndex) {
    if (scan.last().index() != lastIndex && !isReported(segment)) {
      damaged(
          new LogDamage(
              segment.file().location(),
              scan.end(),
              scan.last().index() + 1,
              "the segment ends with entry "
                  + scan.last()
                  + ", but the next one continues after entry "
                  + lastIndex
                  + ": a segment is missing, or this one is damaged"));
    }
  }

  private void checkEnd(Segment segment, SegmentScan scan, long knownDurable, long limit) {
    if (isReported(segment)) {
      return;
    }
    if (limit == Long.MAX_VALUE && directory.exists(Segment.indexName(segment.name()))) {
      damaged(
          new LogDamage(
              segment.file().location(),
              scan.end(),
              scan.last().index() + 1,
              "it has an index, so a segment followed it that is missing now"));
      return;
    }
    if (scan.last().index() < limit) {
      try {
        scan.checkTornTail(knownDurable);
      } catch (CorruptLogException e) {
        damaged(e.damage());
      }
    } else if (!isBroken) {
      last = new EntryId(limit, segment.term(limit));
    }
  }

  /**
   * Looks at the headers only, and changes nothing.
   *
   * @throws CorruptLogException if a file is of a format that only later versions have; damage is
   *     not looked for
   */
  public static void checkVersions(Disk directory) {
    for (String name : directory.list()) {
      if (!Segment.isSegment(name)) {
        continue;
      }
      try (DiskFile file = directory.open(name)) {
        ByteBuffer page =
            ByteBuffer.allocate((int) Math.min(file.size(), SegmentHeader.PAGE_BYTES));
        file.read(0, page);
        var unused = SegmentHeader.decode(file.location(), page.flip());
      } catch (CorruptLogException found) {
        if (found.isOfAnotherVersion()) {
          throw found;
        }
      }
    }
    checkVersion(() -> Intent.load(directory));
    checkVersion(() -> DurableMark.find(directory));
  }

  private static void checkVersion(Supplier<? extends @Nullable Object> read) {
    try {
      var unused = read.get();
    } catch (CorruptLogException found) {
      if (found.isOfAnotherVersion()) {
        throw found;
      }
    }
  }

  private boolean isReported(Segment segment) {
    String file = segment.file().location();
    return damages.stream().anyMatch(damage -> damage.file().equals(file));
  }

  private @Nullable Segment open(String name, boolean isLast) {
    DiskFile file = directory.open(name);
    files.add(file);
    ByteBuffer map = file.map();
    try {
      ByteBuffer start = map.duplicate().limit(Math.min(map.limit(), SegmentHeader.PAGE_BYTES));
      SegmentHeader header = SegmentHeader.decode(file.location(), start);
      if (header.firstIndex() != Segment.firstIndex(name)) {
        throw CorruptLogException.of(
            file.location(), "by its header it begins with entry " + header.firstIndex());
      }
      if (map.limit() < header.bytes()) {
        if (!isLast) {
          throw CorruptLogException.of(
              file.location(), "it has " + map.limit() + " bytes of " + header.bytes());
        }
        // What is missing is judged as if it were zero, as a start would.
        map = ByteBuffer.allocate(header.bytes()).put(map.duplicate()).position(0);
      }
      return new Segment(name, header, file, new SparseIndex(), map);
    } catch (CorruptLogException e) {
      damaged(e.damage());
      return null;
    }
  }

  /**
   * Leaves what is whole of the log: what is behind {@link #last} goes, or all of it where not even
   * the beginning is whole. What a crash leaves undone is done when the log is opened next, or is
   * damage once more. Whoever calls this has durably noted that the log lacks what it promised.
   */
  public void cut() {
    Intent.Kind kind = segments.isEmpty() ? Intent.Kind.RESET : Intent.Kind.SUFFIX;
    new Intent(kind, last).store(directory);
    List<String> kept = segments.stream().map(Segment::name).toList();
    List<String> gone =
        new ArrayList<>(directory.list().stream().filter(Segment::isSegment).toList());
    gone.removeAll(kept);
    for (int i = gone.size() - 1; i >= 0; i--) {
      Segment.delete(directory, gone.get(i));
    }
  }
}
