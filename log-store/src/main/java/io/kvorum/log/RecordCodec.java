package io.kvorum.log;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The record: one entry as bytes, on disk and on the wire (docs/FORMATS.md has the layout).
 *
 * <p>Little-endian whatever the order of the buffer; 8-byte aligned by 1 to 8 padding bytes that
 * are never zero, so that a record whose end was not written never looks whole. All checksums begin
 * with a seed: the id of the segment on disk, 0 on the wire. Two of them guard a record: a short
 * one its header, so that the length can be trusted by itself, and CRC32C the whole.
 */
public final class RecordCodec {
  /** What a record has beside payload and padding. */
  public static final int HEADER_BYTES = 32;

  /** Records begin at multiples of this. */
  public static final int ALIGNMENT_BYTES = 8;

  static final int LENGTH = 0;
  static final int CRC = 4;
  static final int GROUP = 8;
  static final int TYPE = 12;
  static final int FLAGS = 13;
  static final int HEADER_CHECK = 14;
  static final int INDEX = 16;
  static final int TERM = 24;

  /**
   * Not an entry but a statement inside a segment: when this was written, all entries up to its
   * index were durable. Never on the wire.
   */
  static final int MARK_TYPE = 255;

  /** The size of a mark on disk. */
  static final int MARK_BYTES = HEADER_BYTES + ALIGNMENT_BYTES;

  private static final byte PADDING = (byte) 0xA5;

  private RecordCodec() {}

  /** The size of the entry's record, padding included. */
  public static int encodedBytes(Entry entry) {
    return paddedBytes(HEADER_BYTES + entry.payload().length);
  }

  /** The size of the records of all these entries one after another. */
  public static long encodedBytes(List<Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      bytes += encodedBytes(entry);
    }
    return bytes;
  }

  private static int paddedBytes(int length) {
    return (length / ALIGNMENT_BYTES + 1) * ALIGNMENT_BYTES;
  }

  /**
   * Appends the record of {@code entry} at the buffer's position.
   *
   * @param target has {@link #encodedBytes(Entry)} bytes left
   */
  public static void encode(Entry entry, int group, long seed, ByteBuffer target) {
    ByteBuffer record = target.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    record.putInt(HEADER_BYTES + entry.payload().length).putInt(0).putInt(group);
    record.putInt(entry.type().code()).putLong(entry.index()).putLong(entry.term());
    record.put(entry.payload());
    finish(record, seed, target);
  }

  /** Appends a mark: all entries up to {@code durableIndex} are durable. */
  static void encodeMark(long durableIndex, int group, long seed, ByteBuffer target) {
    ByteBuffer record = target.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    record.putInt(HEADER_BYTES).putInt(0).putInt(group);
    record.putInt(MARK_TYPE).putLong(durableIndex).putLong(0);
    finish(record, seed, target);
  }

  /** Pads the record that stands from the target's position on, and puts its checksums in. */
  private static void finish(ByteBuffer record, long seed, ByteBuffer target) {
    int at = target.position();
    int padded = paddedBytes(record.position() - at);
    while (record.position() < at + padded) {
      record.put(PADDING);
    }
    record.putShort(at + HEADER_CHECK, headerCheck(record, at, seed));
    record.putInt(at + CRC, crc(record, at, padded, seed));
    target.position(at + padded);
  }

  /**
   * Takes one record off the buffer. Nothing is allocated before length and checksums are right.
   *
   * @param source from its position on; moved behind the record, unless this throws
   * @param group the group it must belong to
   * @param entryBytesMax the largest payload accepted
   * @throws BadRecordException if there is no such record
   */
  public static Entry decode(ByteBuffer source, int group, long seed, int entryBytesMax) {
    ByteBuffer bytes = source.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int at = bytes.position();
    int size = validBytes(bytes, at, seed);
    if (size == 0) {
      throw new BadRecordException("no valid record in " + bytes.remaining() + " bytes");
    }
    if (bytes.getInt(at + GROUP) != group) {
      throw new BadRecordException(
          "a record of group " + bytes.getInt(at + GROUP) + " where " + group + " is expected");
    }
    int payloadBytes = bytes.getInt(at + LENGTH) - HEADER_BYTES;
    if (payloadBytes > entryBytesMax) {
      throw new BadRecordException(
          "an entry of " + payloadBytes + " bytes; allowed are " + entryBytesMax);
    }
    Entry entry = entryAt(bytes, at);
    source.position(at + size);
    return entry;
  }

  /** The entry of the valid record at {@code at}. */
  static Entry entryAt(ByteBuffer bytes, int at) {
    int type = typeAt(bytes, at);
    long index = bytes.getLong(at + INDEX);
    long term = bytes.getLong(at + TERM);
    if (index < 1 || term < 1 || bytes.get(at + FLAGS) != 0) {
      throw new BadRecordException("a record of entry " + index + "@" + term + " with flags");
    }
    EntryType entryType;
    try {
      entryType = EntryType.of(type);
    } catch (IllegalArgumentException e) {
      throw new BadRecordException(
          "a record of type " + type + ": it was written by a newer version");
    }
    byte[] payload = new byte[bytes.getInt(at + LENGTH) - HEADER_BYTES];
    bytes.get(at + HEADER_BYTES, payload);
    return new Entry(index, term, entryType, payload);
  }

  static int typeAt(ByteBuffer bytes, int at) {
    return bytes.get(at + TYPE) & 0xff;
  }

  /**
   * The size with padding of the record whose header, believably, is at {@code at}; 0 if there is
   * none, or if it would not fit before the limit. Says nothing about the payload.
   *
   * @param bytes little-endian
   */
  static int headerBytes(ByteBuffer bytes, int at, long seed) {
    if (bytes.limit() - at < HEADER_BYTES + ALIGNMENT_BYTES) {
      return 0;
    }
    int length = bytes.getInt(at + LENGTH);
    if (length < HEADER_BYTES || length > bytes.limit() - at - 1) {
      return 0;
    }
    int padded = paddedBytes(length);
    boolean fits = padded <= bytes.limit() - at;
    return fits && bytes.getShort(at + HEADER_CHECK) == headerCheck(bytes, at, seed) ? padded : 0;
  }

  /** The size with padding of the valid record at {@code at}, or 0 if there is none. */
  static int validBytes(ByteBuffer bytes, int at, long seed) {
    int padded = headerBytes(bytes, at, seed);
    return padded > 0 && bytes.getInt(at + CRC) == crc(bytes, at, padded, seed) ? padded : 0;
  }

  private static short headerCheck(ByteBuffer bytes, int at, long seed) {
    ByteBuffer fields = ByteBuffer.allocate(34).order(ByteOrder.LITTLE_ENDIAN);
    fields.putLong(seed).putInt(bytes.getInt(at + LENGTH)).putInt(bytes.getInt(at + GROUP));
    fields.put(bytes.get(at + TYPE)).put(bytes.get(at + FLAGS));
    fields.putLong(bytes.getLong(at + INDEX)).putLong(bytes.getLong(at + TERM));
    CRC32C crc = new CRC32C();
    crc.update(fields.array());
    long value = crc.getValue();
    return (short) (value ^ (value >>> 16));
  }

  private static int crc(ByteBuffer bytes, int at, int padded, long seed) {
    ByteBuffer prefix = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    prefix.putLong(seed).putInt(bytes.getInt(at + LENGTH));
    CRC32C crc = new CRC32C();
    crc.update(prefix.array());
    crc.update(bytes.duplicate().limit(at + padded).position(at + GROUP));
    return (int) crc.getValue();
  }

  /** Whether all bytes in [from, to) are zero. */
  static boolean isZero(ByteBuffer bytes, int from, int to) {
    int at = from;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      if (bytes.getLong(at) != 0) {
        return false;
      }
    }
    for (; at < to; at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }
}
