package io.kvorum.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first page of a segment file.
 *
 * @param id random; seeds the checksums of the segment's records, so that no record of another
 *     segment is ever valid in this one
 * @param firstIndex of the first entry the segment holds or will hold
 * @param termBefore of the entry before that one; 0 at the start of a log
 * @param bytes size of the file
 */
record SegmentHeader(long id, long firstIndex, long termBefore, int bytes) {
  /** The unit of writing; the header has a page for itself. */
  static final int PAGE_BYTES = 4096;

  private static final long MAGIC = 0x474f4c4d55524f56L; // "VORUMLOG"
  private static final int VERSION = 1;
  private static final int CRC = 40;

  /** The page as it is on disk. */
  ByteBuffer encode() {
    ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    page.putLong(MAGIC).putInt(VERSION).putInt(bytes);
    page.putLong(id).putLong(firstIndex).putLong(termBefore);
    page.putInt(crc(page));
    return page.position(0);
  }

  /**
   * Reads a header.
   *
   * @param file its name, for the message
   * @param page the file from its start, perhaps cut
   * @throws CorruptLogException if it is damaged, or of another version
   */
  static SegmentHeader decode(String file, ByteBuffer page) {
    ByteBuffer bytes = page.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    String damage = damage(bytes);
    if (damage != null) {
      // Not what a crash leaves: the header was durable before the file got its name.
      throw CorruptLogException.of(file, damage);
    }
    if (bytes.getInt(8) != VERSION) {
      throw CorruptLogException.ofAnotherVersion(file, bytes.getInt(8), VERSION);
    }
    return new SegmentHeader(
        bytes.getLong(16), bytes.getLong(24), bytes.getLong(32), bytes.getInt(12));
  }

  private static @Nullable String damage(ByteBuffer bytes) {
    if (bytes.limit() < CRC + Integer.BYTES) {
      return "it has " + bytes.limit() + " bytes, not even a segment header";
    }
    if (bytes.getLong(0) != MAGIC || bytes.getInt(CRC) != crc(bytes)) {
      return "its segment header is damaged";
    }
    return null;
  }

  private static int crc(ByteBuffer page) {
    CRC32C crc = new CRC32C();
    crc.update(page.duplicate().position(0).limit(CRC));
    return (int) crc.getValue();
  }
}
