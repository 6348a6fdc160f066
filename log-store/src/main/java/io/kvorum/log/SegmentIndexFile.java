package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.disk.DiskFile;
import io.kvorum.disk.DiskFullException;
import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The sparse index of a sealed segment as a file beside it: a hint, never believed without a look
 * at the segment, and built anew when missing or wrong (FAULTS F051).
 */
final class SegmentIndexFile {
  private static final int MAGIC = 0x49524f56; // "VORI"
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 44;
  private static final int POINT_BYTES = 20;

  private SegmentIndexFile() {}

  /**
   * Makes the file say what the segment's index says, unless it does already.
   *
   * @return whether it now does; on a full disk an empty file may take its place: that there is one
   *     tells a start that another segment has followed, and it can be built anew
   */
  static boolean write(Disk directory, Segment segment, EntryId last) {
    String name = Segment.indexName(segment.name());
    byte[] content = encode(segment, last);
    if (directory.exists(name) && Arrays.equals(readOrEmpty(directory, name), content)) {
      return true;
    }
    try {
      directory.replace(name, content);
      return true;
    } catch (DiskFullException full) {
      markOnly(directory, name);
      return false;
    }
  }

  private static void markOnly(Disk directory, String name) {
    if (directory.exists(name)) {
      return;
    }
    try (DiskFile empty = directory.create(name, 0)) {
      empty.sync();
    } catch (DiskFullException notEvenThat) {
      // Then a loss of the next segment shows by what was noted of it only (docs/adr/0020).
      return;
    }
    directory.syncDirectory();
  }

  /**
   * Fills the segment's index from the file, if the file is one of this segment up to {@code last}
   * and the segment agrees at every point and at its end.
   *
   * @return whether it did; if not, the segment's index is still empty
   */
  static boolean load(Disk directory, Segment segment, EntryId last) {
    String name = Segment.indexName(segment.name());
    if (!directory.exists(name)) {
      return false;
    }
    ByteBuffer file = ByteBuffer.wrap(readOrEmpty(directory, name));
    file.order(ByteOrder.LITTLE_ENDIAN);
    int points = (file.limit() - HEADER_BYTES) / POINT_BYTES;
    boolean whole =
        file.limit() >= HEADER_BYTES
            && file.limit() == HEADER_BYTES + points * POINT_BYTES
            && file.getInt(0) == MAGIC
            && file.getInt(4) == VERSION
            && file.getInt(8) == crc(file);
    if (!whole
        || file.getLong(12) != segment.header().id()
        || file.getLong(20) != last.index()
        || file.getLong(28) != last.term()) {
      return false;
    }
    return agrees(segment, file, points, last) && fill(segment, file, points);
  }

  private static boolean agrees(Segment segment, ByteBuffer file, int points, EntryId last) {
    ByteBuffer bytes = segment.bytes();
    long seed = segment.header().id();
    int at = 0;
    for (int point = 0; point < points; point++) {
      int offset = HEADER_BYTES + point * POINT_BYTES;
      at = file.getInt(offset + 16);
      boolean inside = at >= SegmentHeader.PAGE_BYTES && at % RecordCodec.ALIGNMENT_BYTES == 0;
      if (!inside
          || RecordCodec.headerBytes(bytes, at, seed) == 0
          || bytes.getLong(at + RecordCodec.INDEX) != file.getLong(offset)
          || bytes.getLong(at + RecordCodec.TERM) != file.getLong(offset + 8)) {
        return false;
      }
    }
    // From the last point on, every record is checked: the segment must end where it should.
    long found = 0;
    for (int size = points > 0 ? RecordCodec.validBytes(bytes, at, seed) : 0; size > 0; ) {
      if (RecordCodec.typeAt(bytes, at) != RecordCodec.MARK_TYPE) {
        found = bytes.getLong(at + RecordCodec.INDEX);
      }
      at += size;
      size = RecordCodec.validBytes(bytes, at, seed);
    }
    return found == last.index();
  }

  private static boolean fill(Segment segment, ByteBuffer file, int points) {
    for (int point = 0; point < points; point++) {
      int offset = HEADER_BYTES + point * POINT_BYTES;
      segment.index().add(file.getLong(offset), file.getLong(offset + 8), file.getInt(offset + 16));
    }
    return true;
  }

  private static byte[] encode(Segment segment, EntryId last) {
    SparseIndex index = segment.index();
    int points = index.count();
    ByteBuffer file = ByteBuffer.allocate(HEADER_BYTES + points * POINT_BYTES);
    file.order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).putInt(VERSION).putInt(0);
    file.putLong(segment.header().id()).putLong(last.index()).putLong(last.term());
    file.putLong(0);
    for (int point = 0; point < points; point++) {
      file.putLong(index.index(point)).putLong(index.term(point)).putInt(index.position(point));
    }
    file.putInt(8, crc(file));
    return file.array();
  }

  private static byte[] readOrEmpty(Disk directory, String name) {
    // Larger than any index can be, it is none; reading it whole would be a trap.
    try (var file = directory.open(name)) {
      if (file.size() > Disk.SMALL_BYTES_MAX) {
        return new byte[0];
      }
    }
    return directory.read(name);
  }

  private static int crc(ByteBuffer file) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().position(12).limit(file.capacity()));
    return (int) crc.getValue();
  }
}
