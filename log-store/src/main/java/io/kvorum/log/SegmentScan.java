package io.kvorum.log;

import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Reads a segment from its start after a crash, and tells a torn tail from corruption.
 *
 * <p>A crash leaves of each 512-byte sector that was written and not synced either the new or the
 * old bytes, and the old ones, behind the last durable record, are zeros. So a crash may well leave
 * a hole with whole records behind it. What a crash cannot leave:
 *
 * <ul>
 *   <li>damage of an entry that someone knows to have been durable: the caller, the sealing of the
 *       segment, or a mark behind the damage, written when the entry was durable;
 *   <li>a bad record all of whose sectors were written: that is a changed byte, not a missing one;
 *   <li>a valid record in the wrong place.
 * </ul>
 *
 * <p>Everything else is a torn tail, and what it held was promised to nobody.
 */
final class SegmentScan {
  private static final int SECTOR_BYTES = 512;

  private final Segment segment;
  private final ByteBuffer bytes;
  private final long seed;

  /** Where the first record begins that is missing or bad. */
  private int end = SegmentHeader.PAGE_BYTES;

  private EntryId last;
  private long mark;

  private SegmentScan(Segment segment) {
    this.segment = segment;
    bytes = segment.bytes();
    SegmentHeader header = segment.header();
    seed = header.id();
    last = new EntryId(header.firstIndex() - 1, header.termBefore());
    mark = header.firstIndex() - 1;
  }

  /**
   * Reads valid records until there is none, or until the one of entry {@code lastWanted}. Fills
   * the segment's index on the way.
   */
  static SegmentScan run(Segment segment, long lastWanted) {
    SegmentScan scan = new SegmentScan(segment);
    boolean more = true;
    while (more && scan.last.index() < lastWanted) {
      more = scan.step();
    }
    return scan;
  }

  /**
   * As {@link #run} to the end, but where the scan would throw it ends.
   *
   * @param damaged told what is wrong there
   */
  static SegmentScan look(Segment segment, Consumer<CorruptLogException> damaged) {
    SegmentScan scan = new SegmentScan(segment);
    boolean more = true;
    while (more) {
      try {
        more = scan.step();
      } catch (CorruptLogException inTheWrongPlace) {
        damaged.accept(inTheWrongPlace);
        more = false;
      }
    }
    return scan;
  }

  /** The greatest id of a valid record behind {@link #end}; that of {@link #last} if none is. */
  EntryId highestBehind() {
    EntryId highest = last;
    int stop = bytes.limit() - RecordCodec.MARK_BYTES;
    for (int at = end; at <= stop; ) {
      int size = RecordCodec.validBytes(bytes, at, seed);
      if (size > 0 && RecordCodec.typeAt(bytes, at) != RecordCodec.MARK_TYPE) {
        EntryId id =
            new EntryId(
                bytes.getLong(at + RecordCodec.INDEX), bytes.getLong(at + RecordCodec.TERM));
        highest = id.compareTo(highest) > 0 ? id : highest;
      }
      at += Math.max(size, RecordCodec.ALIGNMENT_BYTES);
    }
    return highest;
  }

  private boolean step() {
    int size = RecordCodec.validBytes(bytes, end, seed);
    if (size == 0) {
      return false;
    }
    long index = bytes.getLong(end + RecordCodec.INDEX);
    if (RecordCodec.typeAt(bytes, end) == RecordCodec.MARK_TYPE) {
      // Durable means written before: a mark never speaks of entries behind itself.
      if (index > last.index()) {
        throw corrupt("a mark says that entry " + index + " is durable, which is not here");
      }
      mark = Math.max(mark, index);
    } else {
      long term = bytes.getLong(end + RecordCodec.TERM);
      if (index != last.index() + 1 || term < last.term() || term < 1) {
        throw corrupt("entry " + index + "@" + term + " follows " + last);
      }
      segment.index().add(index, term, end);
      last = new EntryId(index, term);
    }
    end += size;
    return true;
  }

  /** The last entry found, or the one before the segment. */
  EntryId last() {
    return last;
  }

  /** The position behind the last valid record. */
  int end() {
    return end;
  }

  /** The highest durable index that the records found speak of. */
  long mark() {
    return mark;
  }

  /**
   * Throws unless a crash explains what is at {@link #end}.
   *
   * @param knownDurable the entry up to which the caller knows that all were durable
   */
  void checkTornTail(long knownDurable) {
    if (last.index() < knownDurable) {
      throw corrupt(
          "the record is damaged or missing, though entries up to "
              + knownDurable
              + " are known to have been durable");
    }
    int laterMark = markBehindProves(last.index() + 1);
    if (laterMark > 0) {
      throw corrupt(
          "the record is damaged; the valid one at offset "
              + laterMark
              + " was written when it was durable");
    }
    if (!isTorn()) {
      throw corrupt("the record is damaged, and not in a way that a crash leaves");
    }
  }

  /** The position of a mark behind the damage by which entry {@code index} was durable, or 0. */
  private int markBehindProves(long index) {
    int stop = bytes.limit() - RecordCodec.MARK_BYTES;
    for (int at = end + RecordCodec.ALIGNMENT_BYTES; at <= stop; at += 8) {
      boolean looksLikeMark =
          bytes.getInt(at) == RecordCodec.HEADER_BYTES
              && RecordCodec.typeAt(bytes, at) == RecordCodec.MARK_TYPE;
      if (looksLikeMark
          && bytes.getLong(at + RecordCodec.INDEX) >= index
          && RecordCodec.validBytes(bytes, at, seed) > 0) {
        return at;
      }
    }
    return 0;
  }

  /** Whether one of the record's sectors, or the end of everything written, is missing. */
  private boolean isTorn() {
    int header = RecordCodec.headerBytes(bytes, end, seed);
    // With a bad header the length means nothing: then the header alone must explain itself.
    int recordEnd = Math.min(end + Math.max(header, RecordCodec.HEADER_BYTES), bytes.limit());
    for (int at = end; at < recordEnd; at = (at / SECTOR_BYTES + 1) * SECTOR_BYTES) {
      int sectorEnd = Math.min((at / SECTOR_BYTES + 1) * SECTOR_BYTES, bytes.limit());
      if (RecordCodec.isZero(bytes, at, sectorEnd)) {
        return true;
      }
    }
    // A write that stopped in the middle of a sector: nothing follows, and the record has no end,
    // since its last byte would not be zero.
    return end == bytes.limit() || SegmentWriter.lastNonZero(bytes) + 1 < recordEnd;
  }

  private CorruptLogException corrupt(String what) {
    return CorruptLogException.at(segment.file().location(), end, last.index() + 1, what);
  }
}
