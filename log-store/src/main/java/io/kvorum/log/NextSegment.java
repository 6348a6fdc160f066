package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes segment files: zero-filled and synced ahead of need on a background thread, so that a roll
 * takes a rename and no fill, and a full disk is met before anything is written (FAULTS F045).
 */
final class NextSegment implements AutoCloseable {
  private static final String PREFIX = "next-";
  private static final String SUFFIX = ".tmp";

  private final Disk directory;
  private final LogConfig config;
  private final Executor background;
  private final RandomGenerator random;

  private boolean underWay;
  private boolean closed;
  private @Nullable Spare spare;

  /** A file of zeros that has no place in the log yet. */
  private record Spare(String name, DiskFile file) {}

  NextSegment(Disk directory, LogConfig config, Executor background, RandomGenerator random) {
    this.directory = directory;
    this.config = config;
    this.background = background;
    this.random = random;
  }

  /** Begins to make the next file in the background, unless there is one or it is being made. */
  synchronized void prepare() {
    if (spare == null && !underWay && !closed) {
      underWay = true;
      String name = newName();
      background.execute(() -> prepare(name));
    }
  }

  private void prepare(String name) {
    try {
      DiskFile file = directory.create(name, config.segmentBytes());
      offer(new Spare(name, file));
    } catch (UncheckedIOException e) {
      // Not a failure yet: the roll that needs the file tries once more, and then it is one.
      offer(null);
    }
  }

  private synchronized void offer(@Nullable Spare made) {
    underWay = false;
    if (made == null) {
      return;
    }
    if (closed || spare != null) {
      made.file().close();
      return;
    }
    spare = made;
  }

  /** Makes the next file now, if the background has not; throws if there is no space for it. */
  void require() {
    if (peek() == null) {
      String name = newName();
      DiskFile file = directory.create(name, config.segmentBytes());
      offerRequired(new Spare(name, file));
    }
  }

  private synchronized @Nullable Spare peek() {
    return spare;
  }

  private synchronized void offerRequired(Spare made) {
    if (spare == null) {
      spare = made;
    } else {
      // The background came in between; the next start deletes the surplus file.
      made.file().close();
    }
  }

  /** Gives the next file its header and then its name in the log, all of it durably. */
  Segment create(long firstIndex, long termBefore) {
    require();
    Spare taken = take();
    SegmentHeader header =
        new SegmentHeader(random.nextLong(), firstIndex, termBefore, (int) taken.file().size());
    taken.file().write(0, header.encode());
    taken.file().sync();
    String name = Segment.fileName(firstIndex);
    directory.rename(taken.name(), name);
    directory.syncDirectory();
    return new Segment(name, header, taken.file(), new SparseIndex());
  }

  private synchronized Spare take() {
    Spare taken = spare;
    if (taken == null) {
      throw new IllegalStateException("closed while a segment was being made");
    }
    spare = null;
    return taken;
  }

  /** Not reused: a file of an earlier opening may still be under way on its background thread. */
  private String newName() {
    return PREFIX + Long.toHexString(random.nextLong()) + SUFFIX;
  }

  /** The spare file stays on disk; the next start deletes it. */
  @Override
  public synchronized void close() {
    closed = true;
    if (spare != null) {
      spare.file().close();
      spare = null;
    }
  }
}
