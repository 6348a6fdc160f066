package io.kvorum.log;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.EntryType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one file of an archive (docs/FORMATS.md): consecutive committed entries, compressed
 * by gzip.
 *
 * @param clusterId of the cluster
 * @param before the entry before the first one here
 * @param entries at least one
 */
record ArchiveFile(String clusterId, EntryId before, List<Entry> entries) {
  /** The most that one unpacks to: a page of the archive, one entry more, and a head. */
  static final int UNPACKED_BYTES_MAX = 64 << 20;

  private static final byte[] MAGIC = "VORUMARC".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int ENTRY_HEAD_BYTES = 8 + 8 + 1 + 4;
  private static final int CRC_BYTES = 4;
  private static final Pattern NAME = Pattern.compile("(\\d{20})-(\\d{20})\\.log\\.gz");

  /** The indexes that a file name says. */
  record Range(long first, long last) {
    String fileName() {
      return String.format(Locale.ROOT, "%020d-%020d.log.gz", first, last);
    }

    /** Null if that is no file of an archive. */
    static @Nullable Range of(String fileName) {
      Matcher matcher = NAME.matcher(fileName);
      try {
        return matcher.matches()
            ? new Range(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)))
            : null;
      } catch (NumberFormatException tooLarge) {
        return null;
      }
    }
  }

  Range range() {
    return new Range(before.index() + 1, before.index() + entries.size());
  }

  /** The last entry here. */
  EntryId last() {
    return entries.get(entries.size() - 1).id();
  }

  /** About how much it unpacks to. */
  long payloadBytes() {
    return entries.stream().mapToLong(Entry::sizeBytes).sum();
  }

  /** The same with the entries that follow. */
  ArchiveFile with(List<Entry> more) {
    List<Entry> all = new ArrayList<>(entries);
    all.addAll(more);
    return new ArchiveFile(clusterId, before, List.copyOf(all));
  }

  byte[] encode() {
    byte[] cluster = clusterId.getBytes(StandardCharsets.UTF_8);
    int bytes = MAGIC.length + 4 + 2 + cluster.length + 16 + 4 + CRC_BYTES;
    for (Entry entry : entries) {
      bytes += ENTRY_HEAD_BYTES + entry.payload().length;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putInt(VERSION).putShort((short) cluster.length).put(cluster);
    out.putLong(before.index()).putLong(before.term()).putInt(entries.size());
    for (Entry entry : entries) {
      out.putLong(entry.index()).putLong(entry.term()).put((byte) entry.type().code());
      out.putInt(entry.payload().length).put(entry.payload());
    }
    out.putInt(crc(out.array(), out.position()));
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(out.array());
    } catch (IOException impossible) {
      throw new AssertionError("the heap does no I/O", impossible);
    }
    return packed.toByteArray();
  }

  /**
   * The reverse.
   *
   * @param where for messages
   * @throws CorruptArchiveException if it is damaged, or of another version
   */
  static ArchiveFile decode(byte[] packed, String where) {
    byte[] bytes;
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      bytes = gzip.readNBytes(UNPACKED_BYTES_MAX);
    } catch (IOException damaged) {
      throw new CorruptArchiveException(where + " is damaged: " + damaged.getMessage());
    }
    int end = bytes.length - CRC_BYTES;
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (end < MAGIC.length + 4
        || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)
        || in.getInt(end) != crc(bytes, end)) {
      throw new CorruptArchiveException(where + " is damaged: its checksum does not fit");
    }
    int version = in.position(MAGIC.length).getInt();
    if (version != VERSION) {
      throw new CorruptArchiveException(
          where + " has format " + version + ", this version of Kvorum reads format " + VERSION);
    }
    try {
      return content(in.limit(end));
    } catch (BufferUnderflowException | IllegalArgumentException malformed) {
      throw new CorruptArchiveException(where + " is no file of an archive: " + malformed);
    }
  }

  private static ArchiveFile content(ByteBuffer in) {
    String cluster = new String(block(in, in.getShort() & 0xffff), StandardCharsets.UTF_8);
    EntryId before = new EntryId(in.getLong(), in.getLong());
    int count = in.getInt();
    List<Entry> entries = new ArrayList<>();
    EntryId last = before;
    for (int i = 0; i != count; i++) {
      long index = in.getLong();
      long term = in.getLong();
      EntryType type = EntryType.of(in.get() & 0xff);
      Entry entry = new Entry(index, term, type, block(in, in.getInt()));
      if (index != last.index() + 1 || term < last.term()) {
        throw new IllegalArgumentException(entry + " does not follow " + last);
      }
      entries.add(entry);
      last = entry.id();
    }
    if (in.hasRemaining() || entries.isEmpty()) {
      throw new IllegalArgumentException(count + " entries, and other bytes");
    }
    return new ArchiveFile(cluster, before, entries);
  }

  private static byte[] block(ByteBuffer in, int length) {
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException("a length of " + length);
    }
    byte[] block = new byte[length];
    in.get(block);
    return block;
  }

  private static int crc(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }
}
