package io.kvorum.server.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The row {@code state} of {@link Table#META}: how far the tables are. It is written in one batch
 * with the rows of {@link Table#LATEST} that belong to it. Big-endian:
 *
 * <pre>u16 format version, 1 | u64 appliedIndex | u64 appliedTerm | u64 revision
 * | u64 compactRevision | u64 logTimeMillis</pre>
 *
 * @param applied the last entry whose effect the tables hold
 * @param revision of the store; 1 before the first change, as in etcd; never goes back
 * @param compactRevision the oldest revision that can be read; 0: all
 * @param logTimeMillis the largest time stamp in the log, milliseconds since the epoch; 0: none yet
 */
record StoreState(EntryId applied, long revision, long compactRevision, long logTimeMillis) {
  static final StoreState INITIAL = new StoreState(EntryId.ZERO, 1, 0, 0);

  private static final byte[] ROW_KEY = "state".getBytes(UTF_8);
  private static final short FORMAT_VERSION = 1;
  private static final int ROW_BYTES = 2 + 5 * 8;

  StoreState {
    InvariantViolation.check(
        revision >= 1 && compactRevision >= 0 && compactRevision <= revision,
        "0 <= compactRevision <= revision");
  }

  /** The key of the row. */
  static byte[] rowKey() {
    return ROW_KEY;
  }

  /**
   * Reads the row; {@link #INITIAL} when there is none.
   *
   * @throws IllegalStateException if another version wrote it
   */
  static StoreState decode(byte @Nullable [] row) {
    if (row == null) {
      return INITIAL;
    }
    ByteBuffer in = ByteBuffer.wrap(row);
    short format = row.length < 2 ? 0 : in.getShort();
    if (format != FORMAT_VERSION || row.length != ROW_BYTES) {
      throw new IllegalStateException(
          "the store has format "
              + format
              + " in a row of "
              + row.length
              + " bytes; this version of Kvorum reads format "
              + FORMAT_VERSION);
    }
    EntryId applied = new EntryId(in.getLong(), in.getLong());
    return new StoreState(applied, in.getLong(), in.getLong(), in.getLong());
  }

  byte[] encode() {
    return ByteBuffer.allocate(ROW_BYTES)
        .putShort(FORMAT_VERSION)
        .putLong(applied.index())
        .putLong(applied.term())
        .putLong(revision)
        .putLong(compactRevision)
        .putLong(logTimeMillis)
        .array();
  }
}
