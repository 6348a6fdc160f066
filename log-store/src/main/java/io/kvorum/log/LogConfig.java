package io.kvorum.log;

import io.kvorum.raft.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * How a log is kept.
 *
 * @param segmentBytes size of a new segment file, a multiple of 4 KiB, 16 KiB to 1 GiB; existing
 *     ones keep theirs
 * @param entryBytesMax the largest payload accepted; an entry fits one segment
 * @param cacheBytes how much of the recent log is kept in the heap for readers
 * @param group the number of the group, written into each record
 * @param verifySealed whether opening checks every record of every segment, or trusts the index of
 *     full segments and finds damage there only when it reads it
 */
public record LogConfig(
    int segmentBytes, int entryBytesMax, long cacheBytes, int group, boolean verifySealed) {
  /**
   * 64 MiB segments, payloads of a 4 MiB value and what belongs to it, 8 MiB of cache: some tenths
   * of a second of a full load. What stays longer is moved by the garbage collector again and
   * again, and a member so far behind is fed from the segments.
   */
  public static final LogConfig DEFAULT =
      new LogConfig(64 << 20, (4 << 20) + (64 << 10), 8L << 20, 0, true);

  private static final int SEGMENT_BYTES_MIN = 16 << 10;
  private static final int SEGMENT_BYTES_MAX = 1 << 30;

  public LogConfig {
    if (segmentBytes < SEGMENT_BYTES_MIN
        || segmentBytes > SEGMENT_BYTES_MAX
        || segmentBytes % SegmentHeader.PAGE_BYTES != 0) {
      throw new IllegalArgumentException(
          "segmentBytes " + segmentBytes + " is not a multiple of 4 KiB from 16 KiB to 1 GiB");
    }
    // An empty segment must take the largest entry and the mark before it, or a roll never ends.
    int room = segmentBytes - SegmentHeader.PAGE_BYTES - 3 * RecordCodec.HEADER_BYTES;
    if (entryBytesMax < 1 || entryBytesMax > room) {
      throw new IllegalArgumentException(
          "entryBytesMax " + entryBytesMax + " is not from 1 to " + room + ", one segment's room");
    }
    if (cacheBytes < 0) {
      throw new IllegalArgumentException("cacheBytes " + cacheBytes + " is negative");
    }
  }

  /**
   * Entries from {@code index} on follow each other, their terms never fall, and each is allowed.
   */
  void checkBatch(List<Entry> entries, long index, long term) {
    for (Entry entry : entries) {
      if (entry.index() != index || entry.term() < term) {
        throw new IllegalArgumentException(
            "entry " + entry.id() + " where " + index + " of term " + term + " or more follows");
      }
      if (entry.payload().length > entryBytesMax) {
        throw new IllegalArgumentException(
            "entry " + entry + " is larger than " + entryBytesMax + " bytes");
      }
      index++;
      term = entry.term();
    }
  }

  /**
   * Cuts a batch into parts of which none needs more than what is left of one segment and another
   * one.
   */
  List<List<Entry>> parts(List<Entry> entries) {
    long room = segmentBytes - SegmentHeader.PAGE_BYTES - 2L * RecordCodec.MARK_BYTES;
    if (RecordCodec.encodedBytes(entries) <= room) {
      return List.of(entries);
    }
    List<List<Entry>> parts = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      long more = RecordCodec.encodedBytes(entries.get(i));
      if (bytes + more > room && i > from) {
        parts.add(entries.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += more;
    }
    parts.add(entries.subList(from, entries.size()));
    return parts;
  }

  public LogConfig withSegmentBytes(int bytes) {
    return new LogConfig(bytes, entryBytesMax, cacheBytes, group, verifySealed);
  }

  public LogConfig withEntryBytesMax(int bytes) {
    return new LogConfig(segmentBytes, bytes, cacheBytes, group, verifySealed);
  }

  public LogConfig withCacheBytes(long bytes) {
    return new LogConfig(segmentBytes, entryBytesMax, bytes, group, verifySealed);
  }

  public LogConfig withGroup(int number) {
    return new LogConfig(segmentBytes, entryBytesMax, cacheBytes, number, verifySealed);
  }

  public LogConfig withVerifySealed(boolean verify) {
    return new LogConfig(segmentBytes, entryBytesMax, cacheBytes, group, verify);
  }
}
