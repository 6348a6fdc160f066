package io.kvorum.log;

import io.kvorum.raft.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a segment behind its last record, in whole pages: the page that the last record ends in
 * stays in memory and is written again with what follows, so that no write has to read first. All
 * bytes behind the last record are zero on disk, which recovery relies on.
 */
final class SegmentWriter {
  private static final int PAGE = SegmentHeader.PAGE_BYTES;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int BUFFER_BYTES_MIN = 64 << 10;

  private final Segment segment;
  private final int group;

  /** From a page boundary of the file on: what is on disk of its page, then what is not. */
  private ByteBuffer buffer;

  /** The position in the file of the buffer's first byte. */
  private int bufferStart;

  /** Where in the buffer the bytes begin that no write has covered. */
  private int unwrittenFrom;

  /** What the last mark in the file says, or what needs no mark: the entries before the segment. */
  private long lastMark;

  /** Continues a segment at {@code end}, behind its last record, with zeros behind. */
  SegmentWriter(Segment segment, int group, int end, long lastMark, ByteBuffer buffer) {
    this.segment = segment;
    this.group = group;
    this.lastMark = lastMark;
    this.buffer = buffer;
    bufferStart = end / PAGE * PAGE;
    unwrittenFrom = end - bufferStart;
    buffer.clear().limit(unwrittenFrom);
    segment.file().read(bufferStart, buffer);
    buffer.limit(buffer.capacity());
  }

  static ByteBuffer newBuffer() {
    return ByteBuffer.allocateDirect(BUFFER_BYTES_MIN).order(ByteOrder.LITTLE_ENDIAN);
  }

  Segment segment() {
    return segment;
  }

  /** Continues in an empty segment, behind the entry {@code last}. */
  SegmentWriter next(Segment empty, long last) {
    return new SegmentWriter(empty, group, SegmentHeader.PAGE_BYTES, last, buffer);
  }

  /** For the next writer: it may be large by now. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** Where the next record goes in the file. */
  int end() {
    return bufferStart + buffer.position();
  }

  boolean fits(long recordBytes) {
    return end() + recordBytes <= segment.header().bytes();
  }

  /** Whether a mark with this durable index would say something new. */
  boolean needsMark(long durableIndex) {
    return durableIndex > lastMark;
  }

  void putMark(long durableIndex) {
    makeRoom(RecordCodec.MARK_BYTES);
    RecordCodec.encodeMark(durableIndex, group, segment.header().id(), buffer);
    lastMark = durableIndex;
  }

  void put(Entry entry) {
    makeRoom(RecordCodec.encodedBytes(entry));
    segment.index().add(entry.index(), entry.term(), end());
    RecordCodec.encode(entry, group, segment.header().id(), buffer);
  }

  private void makeRoom(int bytes) {
    // Padding to the page must find room too.
    int needed = bytes + PAGE;
    if (buffer.remaining() >= needed) {
      return;
    }
    if (buffer.position() + needed > CHUNK_BYTES) {
      flush();
    }
    if (buffer.remaining() < needed) {
      long doubled = Math.min(2L * buffer.capacity(), CHUNK_BYTES);
      int capacity = (int) Math.max(doubled, buffer.position() + needed);
      ByteBuffer larger = ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
      buffer = larger.put(buffer.flip());
    }
  }

  /** Writes what was put since the last time, with zeros up to the page's end. Not durable yet. */
  void flush() {
    int used = buffer.position();
    if (used == unwrittenFrom) {
      return;
    }
    int padded = (used + PAGE - 1) / PAGE * PAGE;
    zeroBytes(buffer, used, padded);
    segment.file().write(bufferStart, buffer.duplicate().position(0).limit(padded));
    int tail = used / PAGE * PAGE;
    buffer.position(tail).limit(used);
    buffer.compact();
    bufferStart += tail;
    unwrittenFrom = used - tail;
  }

  /**
   * Makes [{@code end}, {@code dirtyEnd}) zero and durable, as it was before it was written.
   *
   * @param dirtyEnd behind it everything is zero on disk already, not only in the page cache
   */
  static void zero(Segment segment, int end, int dirtyEnd) {
    int start = end / PAGE * PAGE;
    int stop = Math.min((dirtyEnd + PAGE - 1) / PAGE * PAGE, segment.header().bytes());
    ByteBuffer bytes = segment.bytes();
    ByteBuffer chunk = newBuffer();
    for (int at = start; at < stop; at += chunk.capacity()) {
      chunk.clear().limit(Math.min(chunk.capacity(), stop - at));
      zeroBytes(chunk, 0, chunk.limit());
      if (at < end) {
        // The page in which the last record ends keeps what comes before.
        chunk.put(0, bytes, at, end - at);
      }
      segment.file().write(at, chunk);
    }
    segment.file().sync();
  }

  /**
   * Writes the pages from {@code from} to {@code end} as they are once more, durably. If an earlier
   * process died of a failed sync, the page cache shows bytes that are not on disk, and a mere sync
   * would not write them (FAULTS F042).
   */
  static void rewrite(Segment segment, int from, int end) {
    ByteBuffer bytes = segment.bytes();
    ByteBuffer chunk = newBuffer();
    int stop = (end + PAGE - 1) / PAGE * PAGE;
    for (int at = from / PAGE * PAGE; at < stop; at += chunk.capacity()) {
      chunk.clear().limit(Math.min(chunk.capacity(), stop - at));
      chunk.put(0, bytes, at, chunk.limit());
      segment.file().write(at, chunk);
    }
    segment.file().sync();
  }

  /** The position of the last byte that is not zero; -1 would need an empty file. */
  static int lastNonZero(ByteBuffer bytes) {
    int at = bytes.limit();
    while (at >= Long.BYTES && bytes.getLong(at - Long.BYTES) == 0) {
      at -= Long.BYTES;
    }
    at--;
    while (at >= 0 && bytes.get(at) == 0) {
      at--;
    }
    return at;
  }

  private static void zeroBytes(ByteBuffer target, int from, int to) {
    for (int at = from; at < to; at++) {
      target.put(at, (byte) 0);
    }
  }
}
