package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.raft.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;

/**
 * One open segment file, as its readers see it: the map, and where entries are in it. Reads are
 * safe on any thread for entries that were published; the file is written by the log thread only.
 */
final class Segment {
  private static final String SUFFIX = ".log";
  private static final String INDEX_SUFFIX = ".idx";
  private static final int DIGITS = 20;

  private final String name;
  private final SegmentHeader header;
  private final DiskFile file;
  private final ByteBuffer map;
  private final SparseIndex index;

  Segment(String name, SegmentHeader header, DiskFile file, SparseIndex index) {
    this(name, header, file, index, file.map());
  }

  /**
   * A segment to look at.
   *
   * @param map what the file holds, or should
   */
  Segment(String name, SegmentHeader header, DiskFile file, SparseIndex index, ByteBuffer map) {
    this.name = name;
    this.header = header;
    this.file = file;
    this.index = index;
    this.map = map;
  }

  static String fileName(long firstIndex) {
    return String.format(Locale.ROOT, "%0" + DIGITS + "d" + SUFFIX, firstIndex);
  }

  static boolean isSegment(String name) {
    return name.endsWith(SUFFIX)
        && name.length() == DIGITS + SUFFIX.length()
        && name.chars().limit(DIGITS).allMatch(c -> c >= '0' && c <= '9');
  }

  static boolean isIndex(String name) {
    return name.endsWith(INDEX_SUFFIX);
  }

  static String indexName(String segmentName) {
    return segmentName.substring(0, segmentName.length() - SUFFIX.length()) + INDEX_SUFFIX;
  }

  /** The first index that a segment's name tells. */
  static long firstIndex(String name) {
    return Long.parseLong(name.substring(0, DIGITS));
  }

  /** The first index that the names of all segments tell; 0 if there are none. */
  static long lowestIndex(Disk directory) {
    // In order of name is in order of index.
    return directory.list().stream()
        .filter(Segment::isSegment)
        .findFirst()
        .map(Segment::firstIndex)
        .orElse(0L);
  }

  /** Deletes a segment, durably; its index first, so that no index is left alone. */
  static void delete(Disk directory, String name) {
    if (directory.exists(indexName(name))) {
      directory.delete(indexName(name));
    }
    directory.delete(name);
    directory.syncDirectory();
  }

  String name() {
    return name;
  }

  SegmentHeader header() {
    return header;
  }

  DiskFile file() {
    return file;
  }

  SparseIndex index() {
    return index;
  }

  long firstIndex() {
    return header.firstIndex();
  }

  /** The file's bytes, little-endian. */
  ByteBuffer bytes() {
    return map.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The term of a published entry. */
  long term(long wanted) {
    ByteBuffer bytes = bytes();
    return bytes.getLong(position(bytes, wanted) + RecordCodec.TERM);
  }

  /** The position behind the record of an entry; the start for the one before the segment. */
  int endOf(long wanted) {
    if (wanted < firstIndex()) {
      return SegmentHeader.PAGE_BYTES;
    }
    ByteBuffer bytes = bytes();
    int at = position(bytes, wanted);
    return at + RecordCodec.headerBytes(bytes, at, header.id());
  }

  /**
   * Reads published entries, each verified, from {@code from} until {@code to} (exclusive) or until
   * the limit; the first that makes an empty result non-empty is free of the limit.
   *
   * @return the bytes that the limit has left, negative once an entry did not fit
   */
  long read(long from, long to, long bytesLeft, List<Entry> result) {
    ByteBuffer bytes = bytes();
    int at = position(bytes, from);
    long left = bytesLeft;
    long next = from;
    while (next < to) {
      int size = RecordCodec.validBytes(bytes, at, header.id());
      if (size == 0) {
        throw damaged(at, next);
      }
      if (RecordCodec.typeAt(bytes, at) != RecordCodec.MARK_TYPE) {
        int entryBytes = bytes.getInt(at + RecordCodec.LENGTH);
        if (!result.isEmpty() && entryBytes > left) {
          return -1;
        }
        Entry entry = RecordCodec.entryAt(bytes, at);
        if (entry.index() != next) {
          throw damaged(at, next);
        }
        result.add(entry);
        left -= entryBytes;
        next++;
      }
      at += size;
    }
    return left;
  }

  /** Walks from the nearest point of the index; each header on the way is checked. */
  private int position(ByteBuffer bytes, long wanted) {
    int at = Math.max(index.floor(wanted), SegmentHeader.PAGE_BYTES);
    while (true) {
      int size = RecordCodec.headerBytes(bytes, at, header.id());
      if (size == 0) {
        throw damaged(at, wanted);
      }
      if (RecordCodec.typeAt(bytes, at) != RecordCodec.MARK_TYPE) {
        long found = bytes.getLong(at + RecordCodec.INDEX);
        if (found == wanted) {
          return at;
        }
        if (found > wanted) {
          throw damaged(at, wanted);
        }
      }
      at += size;
    }
  }

  private CorruptLogException damaged(int at, long wanted) {
    return CorruptLogException.at(
        file.location(), at, wanted, "the record is damaged, though it was whole when written");
  }
}
