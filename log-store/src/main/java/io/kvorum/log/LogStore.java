package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFullException;
import io.kvorum.disk.DiskLock;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.LogReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The log of one group on disk: consecutive entries in preallocated segment files.
 *
 * <p>Threads: {@link #append}, {@link #sync}, {@link #truncatePrefix}, {@link #reset} and {@link
 * #close} belong to one thread, the log thread. Everything else may be called from any: an entry is
 * readable once its write is complete.
 *
 * <p>Durability: an appended entry is durable when a {@link #sync} after it has returned. Suffix
 * truncation (by an append at or below the last index) and reset are durable on return. After a
 * crash, a log whose prefix was truncated may begin where it began before.
 *
 * <p>Failure: a write, sync, rename or delete that fails kills the store; nothing is tried twice,
 * since after a failed sync the page cache lies (FAULTS F042). The failed call and every later one
 * throw. Opening the directory anew, once the cause is gone, continues from what is on disk.
 *
 * <p>The format is in docs/FORMATS.md; {@link SegmentScan} says how a torn tail is told apart from
 * corruption.
 */
public final class LogStore implements LogReader, AutoCloseable {
  private static final String LOCK = "lock";

  private final Disk directory;
  private final LogConfig config;
  private final DiskLock lock;
  private final NextSegment next;
  private final SegmentRemoval removal;
  private final RecentEntries recent;
  private final StoreLife life;
  private final DurableMark mark;
  private final Executor background;
  private SegmentWriter writer;

  /** What readers see, replaced as a whole. */
  private volatile LogView view;

  /** The last entry that is durable, with all before it. */
  private volatile EntryId durable;

  private LogStore(
      Disk directory,
      LogConfig config,
      DiskLock lock,
      NextSegment next,
      Executor background,
      LogOpening.Opened opened) {
    this.directory = directory;
    this.config = config;
    this.lock = lock;
    this.next = next;
    this.background = background;
    removal = new SegmentRemoval(directory, background);
    life = new StoreLife(directory);
    mark = opened.outside();
    recent = new RecentEntries(config.cacheBytes());
    view = LogView.of(opened.segments(), opened.last());
    durable = opened.last();
    var empty = SegmentWriter.newBuffer();
    writer = new SegmentWriter(view.active(), config.group(), opened.end(), opened.mark(), empty);
  }

  /** Whether the directory holds a log, whatever its state. */
  public static boolean exists(Disk directory) {
    // A reset that a crash has cut short may have left nothing but its intent.
    return directory.list().stream()
        .anyMatch(name -> Segment.isSegment(name) || name.equals(Intent.FILE));
  }

  /** Whether a file of a log may be called so. */
  public static boolean isFile(String name) {
    return Segment.isSegment(name)
        || Segment.isIndex(name)
        || name.equals(Intent.FILE)
        || name.equals(DurableMark.FILE)
        || name.equals(LOCK);
  }

  /** Where a log that is not open begins, by the names of its files; 0 if it has none. */
  public static long firstIndex(Disk directory) {
    return Segment.lowestIndex(directory);
  }

  /**
   * Opens the log in a directory of its own, or begins a new one in an empty directory. On return
   * everything that is in the log is durable.
   *
   * @param background where the next segment file is made ready, old ones are deleted, and it is
   *     noted how far the log is durable; may do it at once
   * @param random for the ids of segments
   * @param knownDurableIndex all entries up to it were durable once, by what the caller knows (for
   *     instance what the state machine has applied); 0 if it knows nothing
   * @throws CorruptLogException if something is damaged or missing that was durable
   * @throws io.kvorum.disk.DirectoryInUseException if the log is open already
   */
  public static LogStore open(
      Disk directory,
      LogConfig config,
      Executor background,
      RandomGenerator random,
      long knownDurableIndex) {
    DiskLock lock = directory.lock(LOCK);
    NextSegment next = new NextSegment(directory, config, background, random);
    LogOpening opening = new LogOpening(directory, config, next, knownDurableIndex);
    boolean opened = false;
    try {
      LogStore store = new LogStore(directory, config, lock, next, background, opening.run());
      next.prepare();
      opened = true;
      return store;
    } catch (InternalError e) {
      throw StoreLife.mappingFailed(directory, e);
    } finally {
      if (!opened) {
        opening.abandon();
        next.close();
        lock.close();
      }
    }
  }

  // ---- reading ----

  @Override
  public EntryId compacted() {
    life.check();
    return view.compacted();
  }

  /** The id of the last entry that was written; after {@link #open} it is durable too. */
  @Override
  public EntryId last() {
    life.check();
    return view.last();
  }

  /** The id of the first entry there is, or null if there is none. */
  public @Nullable EntryId first() {
    LogView seen = view;
    long index = seen.compacted().index() + 1;
    return index > seen.last().index() ? null : new EntryId(index, term(index));
  }

  /** The index up to which all entries are durable. */
  public long durableIndex() {
    life.check();
    return durable.index();
  }

  /**
   * {@inheritDoc}
   *
   * @throws CompactedException if the entry is gone
   * @throws CorruptLogException if the entry is damaged
   */
  @Override
  public long term(long index) {
    life.check();
    LogView seen = view;
    if (index == seen.compacted().index()) {
      return seen.compacted().term();
    }
    seen.checkReadable(index, index + 1);
    Entry entry = recent.get(index);
    if (entry != null) {
      return entry.term();
    }
    try {
      return seen.term(index);
    } catch (InternalError e) {
      throw life.end(e);
    } catch (CorruptLogException e) {
      throw unlessTruncated(e, index);
    }
  }

  /**
   * {@inheritDoc}
   *
   * @throws CompactedException if the first entry is gone
   * @throws CorruptLogException if an entry is damaged
   */
  @Override
  public List<Entry> entries(long from, long to, long bytesMax) {
    life.check();
    LogView seen = view;
    seen.checkReadable(from, to);
    List<Entry> result = new ArrayList<>();
    long left = bytesMax;
    while (from + result.size() < to && left >= 0) {
      long index = from + result.size();
      left = recent.collect(index, to, left, result);
      if (left >= 0 && from + result.size() == index) {
        left = readSegment(seen, index, to, left, result);
      }
    }
    return result;
  }

  private long readSegment(LogView seen, long from, long to, long left, List<Entry> result) {
    try {
      return seen.read(from, to, left, result);
    } catch (InternalError e) {
      throw life.end(e);
    } catch (CorruptLogException e) {
      throw unlessTruncated(e, from);
    }
  }

  /** A reader that asks for what is being truncated may see half of it, which is no damage. */
  private RuntimeException unlessTruncated(CorruptLogException e, long index) {
    LogView now = view;
    return index > now.last().index() || index <= now.compacted().index()
        ? new IllegalArgumentException("entry " + index + " was truncated meanwhile", e)
        : e;
  }

  /** How much disk the segments take. */
  public long sizeBytes() {
    life.check();
    return view.segments().stream().mapToLong(segment -> segment.header().bytes()).sum();
  }

  /** The segments, lowest first. */
  public List<SegmentInfo> segments() {
    life.check();
    return view.infos();
  }

  // ---- writing ----

  /**
   * Writes consecutive entries, not yet durable. If the first one is at or below the last index,
   * the log is first truncated, durably, to end just before it.
   *
   * @throws IllegalArgumentException if they do not continue the log or one is too large; nothing
   *     is written then, and the store lives on
   * @throws DiskFullException if there is no space. Unless it {@link #isDead}, the log is whole and
   *     holds none or some of the entries; the rest can be appended once there is space (F045)
   */
  public void append(List<Entry> entries) {
    life.check();
    if (entries.isEmpty()) {
      return;
    }
    checkAppend(entries);
    long before = entries.get(0).index() - 1;
    if (before < view.last().index()) {
      life.run(() -> cutSuffix(before));
    }
    for (List<Entry> part : config.parts(entries)) {
      if (!writer.fits(RecordCodec.encodedBytes(part) + RecordCodec.MARK_BYTES)) {
        requireNext();
      }
      life.run(() -> write(part));
    }
  }

  /** We will roll. If the disk is full, that shows here, with nothing of the part written. */
  private void requireNext() {
    try {
      next.require();
    } catch (RuntimeException e) {
      throw e instanceof DiskFullException ? e : life.end(e);
    }
  }

  private void checkAppend(List<Entry> entries) {
    LogView seen = view;
    long index = entries.get(0).index();
    if (index <= seen.compacted().index() || index > seen.last().index() + 1) {
      throw new IllegalArgumentException(
          "entry " + index + " does not continue (" + seen.compacted() + ", " + seen.last() + "]");
    }
    long term = index > seen.last().index() ? seen.last().term() : term(index - 1);
    config.checkBatch(entries, index, term);
  }

  /** At most one segment ends on the way, and the next one is there. */
  private void write(List<Entry> entries) {
    for (Entry entry : entries) {
      if (!writer.fits(RecordCodec.encodedBytes(entry) + RecordCodec.MARK_BYTES)) {
        roll(entry.index() - 1);
      }
      if (writer.needsMark(durable.index())) {
        writer.putMark(durable.index());
      }
      writer.put(entry);
    }
    writer.flush();
    // First the cache, then the view: whoever sees the new end finds the entries.
    recent.add(entries);
    view = view.withLast(entries.get(entries.size() - 1).id());
  }

  /** Seals the active segment, which ends with entry {@code lastIndex}, and begins the next. */
  private void roll(long lastIndex) {
    writer.flush();
    Segment full = view.active();
    full.file().sync();
    List<Segment> segments = new ArrayList<>(view.segments());
    EntryId last;
    if (lastIndex < full.firstIndex()) {
      // An empty segment of a smaller size than is configured now: the next one takes its name.
      last = view.last();
      full.file().close();
      segments.remove(full);
    } else {
      last = new EntryId(lastIndex, full.term(lastIndex));
    }
    durable = last;
    segments.add(next.create(last.index() + 1, last.term()));
    if (segments.contains(full)) {
      // Only now: an index without a next segment tells a start that the next one is missing.
      SegmentIndexFile.write(directory, full, last);
    }
    view = LogView.of(segments, last);
    writer = writer.next(view.active(), last.index());
    next.prepare();
  }

  /** On return everything appended is durable. */
  public void sync() {
    life.check();
    if (durable.index() < view.last().index()) {
      life.run(this::syncActive);
    }
  }

  private void syncActive() {
    view.active().file().sync();
    durable = view.last();
  }

  /**
   * Has it noted, outside of the log and in the background, how far the log is durable, if it has
   * moved since: what is noted is never lost unnoticed (docs/adr/0020). Any thread; waits for
   * nothing.
   *
   * @param failed told in the background: the log is dead, and would say so to whoever comes next
   */
  public void noteDurable(Consumer<RuntimeException> failed) {
    if (!life.isOver()) {
      mark.follow(background, () -> durable, failure -> failed.accept(life.end(failure)));
    }
  }

  /** Removes all entries behind {@code lastKept}, durably. */
  void truncateSuffix(long lastKept) {
    life.check();
    if (lastKept < view.compacted().index()) {
      throw new CompactedException(lastKept, view.compacted());
    }
    if (lastKept < view.last().index()) {
      life.run(() -> cutSuffix(lastKept));
    }
  }

  private void cutSuffix(long lastKept) {
    // What stays must be durable before the intent says so.
    if (durable.index() < view.last().index()) {
      syncActive();
    }
    EntryId last = new EntryId(lastKept, term(lastKept));
    List<Segment> kept = new ArrayList<>(view.segments());
    List<Segment> gone = new ArrayList<>();
    while (kept.get(kept.size() - 1).firstIndex() > lastKept + 1) {
      gone.add(kept.remove(kept.size() - 1));
    }
    // Readers look away first.
    recent.truncate(lastKept);
    view = LogView.of(kept, last);
    durable = last;

    new Intent(Intent.Kind.SUFFIX, last).store(directory);
    // A start that finds the intent lowers it again: so it never says more than the log may hold.
    mark.lower(last);
    for (Segment segment : gone) {
      segment.file().close();
      Segment.delete(directory, segment.name());
    }
    Segment cut = view.active();
    int end = cut.endOf(lastKept);
    SegmentWriter.zero(cut, end, gone.isEmpty() ? writer.end() : cut.header().bytes());
    cut.index().truncate(lastKept);
    String stale = Segment.indexName(cut.name());
    if (directory.exists(stale)) {
      directory.delete(stale);
      directory.syncDirectory();
    }
    Intent.remove(directory);
    writer = new SegmentWriter(cut, config.group(), end, cut.firstIndex() - 1, writer.buffer());
  }

  /**
   * Gives up entries up to {@code index}, in whole segments only, so perhaps fewer; never the last
   * segment. The files go in the background ({@link SegmentRemoval}).
   */
  public void truncatePrefix(long index) {
    life.check();
    LogView seen = view;
    int goneCount = seen.removable(index);
    if (goneCount > 0) {
      life.run(() -> cutPrefix(seen, goneCount));
    }
  }

  private void cutPrefix(LogView seen, int goneCount) {
    List<Segment> all = seen.segments();
    view = LogView.of(List.copyOf(all.subList(goneCount, all.size())), seen.last());
    removal.begin(all.subList(0, goneCount), life::end);
    life.check();
  }

  /**
   * Gives up all entries; the log continues after {@code snapshot}, which stands for everything up
   * to it. Durable on return.
   */
  public void reset(EntryId snapshot) {
    life.check();
    life.run(
        () -> {
          // With an old segment left over, the new one would be behind a hole.
          removal.finish();
          List<Segment> gone = view.segments();
          view = new LogView(List.of(), snapshot, snapshot);
          recent.truncate(0);
          new Intent(Intent.Kind.RESET, snapshot).store(directory);
          // Not before: what is durable may be marked in the background at any time.
          durable = snapshot;
          mark.set(snapshot);
          for (int i = gone.size() - 1; i >= 0; i--) {
            gone.get(i).file().close();
            Segment.delete(directory, gone.get(i).name());
          }
          Segment fresh = next.create(snapshot.index() + 1, snapshot.term());
          Intent.remove(directory);
          view = LogView.of(List.of(fresh), snapshot);
          writer = writer.next(fresh, snapshot.index());
          next.prepare();
        });
  }

  /**
   * Makes everything durable, and leaves a mark that says so: after a clean end any damage is known
   * for what it is. A dead store is only let go.
   */
  @Override
  public void close() {
    if (life.isClosed()) {
      return;
    }
    try {
      if (!life.isOver()) {
        life.run(removal::finish);
        life.run(this::seal);
      }
    } finally {
      life.close();
      mark.close();
      next.close();
      view.segments().forEach(segment -> segment.file().close());
      lock.close();
    }
  }

  private void seal() {
    if (durable.index() < view.last().index()) {
      syncActive();
    }
    if (writer.needsMark(durable.index()) && writer.fits(RecordCodec.MARK_BYTES)) {
      writer.putMark(durable.index());
      writer.flush();
      view.active().file().sync();
    }
    mark.raise(() -> durable);
  }

  /** Whether a failure has killed the store. */
  public boolean isDead() {
    return life.isOver();
  }
}
