package io.kvorum.log;

import io.kvorum.disk.Disk;
import io.kvorum.raft.EntryId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What a truncation is about to do, durable before it begins and removed after it is done. A crash
 * in between is finished at the next start, so that half a truncation is never taken for damage,
 * and no record behind the cut comes back (docs/adr/0002).
 *
 * @param kind what is being done
 * @param id the last entry that stays; for a reset, the one that the log continues after
 */
record Intent(Kind kind, EntryId id) {
  static final String FILE = "truncation";

  private static final int MAGIC = 0x54524f56; // "VORT"
  private static final int VERSION = 1;
  private static final int CRC = 32;
  private static final int BYTES = 36;

  /** What is being done to the log. */
  enum Kind {
    /** All entries behind the id go. */
    SUFFIX(1),
    /** All entries go, and the log continues after the id. */
    RESET(2);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static @Nullable Kind of(int code) {
      return code == 1 ? SUFFIX : code == 2 ? RESET : null;
    }
  }

  void store(Disk directory) {
    ByteBuffer file = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(MAGIC).putInt(VERSION).putInt(kind.code).putInt(0);
    file.putLong(id.index()).putLong(id.term()).putInt(crc(file));
    directory.replace(FILE, file.array());
  }

  static void remove(Disk directory) {
    directory.delete(FILE);
    // Durable before the next append: else it would be truncated at the next start.
    directory.syncDirectory();
  }

  static @Nullable Intent load(Disk directory) {
    if (!directory.exists(FILE)) {
      return null;
    }
    ByteBuffer file = ByteBuffer.wrap(directory.read(FILE)).order(ByteOrder.LITTLE_ENDIAN);
    boolean whole = file.limit() == BYTES && file.getInt(CRC) == crc(file);
    if (whole && file.getInt(0) == MAGIC && file.getInt(4) > VERSION) {
      throw CorruptLogException.ofAnotherVersion(
          directory.location() + "/" + FILE, file.getInt(4), VERSION);
    }
    Kind kind =
        whole && file.getInt(0) == MAGIC && file.getInt(4) == VERSION
            ? Kind.of(file.getInt(8))
            : null;
    if (kind == null) {
      throw CorruptLogException.of(
          directory.location() + "/" + FILE, "the note about a truncation under way is damaged");
    }
    return new Intent(kind, new EntryId(file.getLong(16), file.getLong(24)));
  }

  private static int crc(ByteBuffer file) {
    CRC32C crc = new CRC32C();
    crc.update(file.duplicate().position(0).limit(CRC));
    return (int) crc.getValue();
  }
}
