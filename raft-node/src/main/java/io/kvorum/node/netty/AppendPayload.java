package io.kvorum.node.netty;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** The payload of AppendEntries: the records of its entries, framed as on disk, with seed 0. */
final class AppendPayload {
  private static final int HEADER_BYTES = 32;
  private static final int ALIGNMENT = 8;

  private AppendPayload() {}

  /** How long the payload is; may exceed what fits a frame. */
  static long bytes(List<Entry> entries) {
    long bytes = 0;
    for (Entry entry : entries) {
      bytes += aligned(entry.payload().length);
    }
    return bytes;
  }

  private static long aligned(int payloadBytes) {
    return HEADER_BYTES + ((long) payloadBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** The records in one new buffer, owned by the caller. */
  static ByteBuf encode(ByteBufAllocator allocator, int group, List<Entry> entries, int bytes) {
    ByteBuf payload = allocator.directBuffer(bytes, bytes);
    ByteBuffer out = payload.internalNioBuffer(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (Entry entry : entries) {
      put(out, group, entry);
    }
    payload.writerIndex(bytes);
    return payload;
  }

  private static void put(ByteBuffer out, int group, Entry entry) {
    int start = out.position();
    int end = start + (int) aligned(entry.payload().length);
    out.putInt(HEADER_BYTES + entry.payload().length)
        .putInt(0)
        .putInt(group)
        .putInt(entry.type().code())
        .putLong(entry.index())
        .putLong(entry.term())
        .put(entry.payload());
    while (out.position() < end) {
      out.put((byte) 0);
    }
    out.putInt(start + 4, crc(out, start + 8, end));
  }

  private static int crc(ByteBuffer buffer, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate().limit(end).position(start));
    return (int) crc.getValue();
  }

  /**
   * The entries in a payload, which must hold exactly {@code count} records that follow {@code
   * prev} and that a leader of {@code term} can have.
   */
  static List<Entry> decode(ByteBuf payload, int group, int count, EntryId prev, long term)
      throws BadFrame {
    int bytes = payload.readableBytes();
    if (count < 0 || count > bytes / HEADER_BYTES) {
      throw new BadFrame(Integer.toUnsignedString(count) + " records in " + bytes + " bytes");
    }
    ByteBuffer in =
        payload
            .internalNioBuffer(payload.readerIndex(), bytes)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    List<Entry> entries = new ArrayList<>(count);
    EntryId last = prev;
    for (int i = 0; i < count; i++) {
      Entry entry = next(in, group);
      if (entry.index() - 1 != last.index() || entry.term() < last.term() || entry.term() > term) {
        throw new BadFrame("entry " + entry.id() + " after " + last + " in term " + term);
      }
      entries.add(entry);
      last = entry.id();
    }
    if (in.hasRemaining()) {
      throw new BadFrame(in.remaining() + " bytes behind the last record");
    }
    return entries;
  }

  private static Entry next(ByteBuffer in, int group) throws BadFrame {
    int start = in.position();
    if (in.remaining() < HEADER_BYTES) {
      throw new BadFrame("half a record");
    }
    int length = in.getInt();
    if (length < HEADER_BYTES || aligned(length - HEADER_BYTES) > in.limit() - start) {
      throw new BadFrame("a record of " + length + " bytes");
    }
    int end = start + (int) aligned(length - HEADER_BYTES);
    if (in.getInt() != crc(in, start + 8, end) || in.getInt() != group) {
      throw new BadFrame("a record with a wrong checksum or group");
    }
    try {
      EntryType type = EntryType.of(in.getInt());
      long index = in.getLong();
      long entryTerm = in.getLong();
      byte[] payload = new byte[length - HEADER_BYTES];
      in.get(payload).position(end);
      return new Entry(index, entryTerm, type, payload);
    } catch (IllegalArgumentException notAnEntry) {
      throw new BadFrame("a record that is no entry: " + notAnEntry);
    }
  }
}
