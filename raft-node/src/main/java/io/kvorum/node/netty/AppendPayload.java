package io.kvorum.node.netty;

import io.kvorum.log.BadRecordException;
import io.kvorum.log.RecordCodec;
import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The payload of AppendEntries: the records of its entries, framed as on disk, with seed 0. */
final class AppendPayload {
  private static final long WIRE_SEED = 0;

  private AppendPayload() {}

  /** How long the payload is; may exceed what fits a frame. */
  static long bytes(List<Entry> entries) {
    return RecordCodec.encodedBytes(entries);
  }

  /**
   * The records in one new buffer, owned by the caller.
   *
   * @param bytes what {@link #bytes} says of them
   */
  static ByteBuf encode(ByteBufAllocator allocator, int group, List<Entry> entries, int bytes) {
    ByteBuf payload = allocator.directBuffer(bytes, bytes);
    ByteBuffer out = payload.internalNioBuffer(0, bytes);
    for (Entry entry : entries) {
      RecordCodec.encode(entry, group, WIRE_SEED, out);
    }
    payload.writerIndex(bytes);
    return payload;
  }

  /**
   * The entries in a payload, which must hold exactly {@code count} records that follow {@code
   * prev} and that a leader of {@code term} can have. Leaves the reader index behind them.
   */
  static List<Entry> decode(ByteBuf payload, int group, int count, EntryId prev, long term)
      throws BadFrame {
    int bytes = payload.readableBytes();
    if (count < 0 || count > bytes / RecordCodec.HEADER_BYTES) {
      throw new BadFrame(Integer.toUnsignedString(count) + " records in " + bytes + " bytes");
    }
    ByteBuffer in = payload.internalNioBuffer(payload.readerIndex(), bytes).slice();
    List<Entry> entries = new ArrayList<>(count);
    EntryId last = prev;
    for (int i = 0; i < count; i++) {
      Entry entry = next(in, group);
      boolean follows = entry.index() - 1 == last.index() && entry.term() >= last.term();
      if (!follows || entry.term() > term) {
        throw new BadFrame("entry " + entry.id() + " after " + last + " in term " + term);
      }
      entries.add(entry);
      last = entry.id();
    }
    if (in.hasRemaining()) {
      throw new BadFrame(in.remaining() + " bytes behind the last record");
    }
    payload.skipBytes(bytes);
    return entries;
  }

  private static Entry next(ByteBuffer in, int group) throws BadFrame {
    try {
      // No larger than the frame, which was checked before it was taken in.
      return RecordCodec.decode(in, group, WIRE_SEED, in.remaining());
    } catch (BadRecordException bad) {
      throw new BadFrame("a bad record: " + bad.getMessage());
    }
  }
}
