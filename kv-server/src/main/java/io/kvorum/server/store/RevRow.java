package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@link Table#REV}: what happened at one place of the store's history. The key is u64
 * revision, u16 sub. The row, big-endian:
 *
 * <pre>u8 type (3 put, 4 delete) | u64 createRevision | u64 version | u64 lease | u64 prevRevision
 * | u16 prevSub | u64 supersededBytes | u16 length of the key | key | value, to the end of the row
 * </pre>
 *
 * <p>prevRevision and prevSub say where the same key changed before, a deletion included; revision
 * 0: never. A delete has createRevision, version and lease 0 and no value. supersededBytes is what
 * {@link UsedSpace} has counted before this event; rows of types 1 (put) and 2 (delete), which
 * stores before format 6 have written, do not have it.
 */
final class RevRow {
  private static final byte UNCOUNTED_PUT = 1;
  private static final byte UNCOUNTED_DELETE = 2;
  private static final byte PUT = 3;
  private static final byte DELETE = 4;
  private static final int CREATE_AT = 1;
  private static final int VERSION_AT = 9;
  private static final int LEASE_AT = 17;
  private static final int PREV_REVISION_AT = 25;
  private static final int PREV_SUB_AT = 33;
  private static final int SUPERSEDED_AT = 35;
  private static final int KEY_LENGTH_AT = 43;
  private static final int KEY_AT = 45;

  private final long revision;
  private final ByteBuffer row;

  /** How much earlier the key stands than in a counted row. */
  private final int missing;

  RevRow(long revision, byte[] row) {
    this.revision = revision;
    this.row = ByteBuffer.wrap(row);
    this.missing = isCounted() ? 0 : Long.BYTES;
  }

  /** The key of a row. */
  static byte[] key(long revision, int sub) {
    return ByteBuffer.allocate(10).putLong(revision).putShort((short) sub).array();
  }

  /**
   * The row of what made a key's newest version.
   *
   * @param now the newest version, its value with it unless it is a tombstone
   * @param before the version that it replaced, if there was any
   * @param supersededBytes before this event
   */
  static byte[] encode(Bytes key, LatestRow now, @Nullable LatestRow before, long supersededBytes) {
    byte[] value = now.value() == null ? new byte[0] : now.value().arrayUnsafe();
    ByteBuffer out = ByteBuffer.allocate(KEY_AT + key.size() + value.length);
    out.put(now.tombstone() ? DELETE : PUT);
    out.putLong(now.createRevision()).putLong(now.version()).putLong(now.lease());
    out.putLong(before == null ? 0 : before.modRevision());
    out.putShort((short) (before == null ? 0 : before.modSub()));
    out.putLong(supersededBytes);
    out.putShort((short) key.size()).put(key.arrayUnsafe()).put(value);
    return out.array();
  }

  /** The revision in the key of a row. */
  static long revision(byte[] key) {
    return ByteBuffer.wrap(key).getLong();
  }

  /** The row of an event as this version writes it, of one that an earlier one has written. */
  byte[] counted(long supersededBytes) {
    int keyAndValue = KEY_LENGTH_AT - missing;
    return ByteBuffer.allocate(row.capacity() + missing)
        .put(isDelete() ? DELETE : PUT)
        .put(row.array(), CREATE_AT, SUPERSEDED_AT - CREATE_AT)
        .putLong(supersededBytes)
        .put(row.array(), keyAndValue, row.capacity() - keyAndValue)
        .array();
  }

  private boolean isCounted() {
    return row.get(0) != UNCOUNTED_PUT && row.get(0) != UNCOUNTED_DELETE;
  }

  boolean isDelete() {
    return row.get(0) == DELETE || row.get(0) == UNCOUNTED_DELETE;
  }

  /** What was superseded before this event. */
  long supersededBytes() {
    InvariantViolation.check(isCounted(), "what is behind the compact revision is counted");
    return row.getLong(SUPERSEDED_AT);
  }

  /** How often the key was put since it last did not exist; 0 in a delete. */
  long version() {
    return row.getLong(VERSION_AT);
  }

  long prevRevision() {
    return row.getLong(PREV_REVISION_AT);
  }

  int prevSub() {
    return Short.toUnsignedInt(row.getShort(PREV_SUB_AT));
  }

  Bytes key() {
    return slice(keyAt(), keyAt() + keyBytes());
  }

  Bytes value() {
    return slice(keyAt() + keyBytes(), row.capacity());
  }

  int valueBytes() {
    return row.capacity() - keyAt() - keyBytes();
  }

  /** The key with the version that a put made here. */
  KeyValue keyValue(Bytes key, Bytes itsValue) {
    return new KeyValue(
        key,
        itsValue,
        row.getLong(CREATE_AT),
        revision,
        row.getLong(VERSION_AT),
        row.getLong(LEASE_AT));
  }

  /** What happened here. */
  StoreEvent event(int sub) {
    // A put that created the key may lead back to a deletion, which compaction removes early.
    boolean creates = !isDelete() && row.getLong(VERSION_AT) == 1;
    StoreEvent.Before before =
        creates ? null : new StoreEvent.Before(prevRevision(), prevSub(), null);
    return new StoreEvent(sub, isDelete(), keyValue(key(), value()), before);
  }

  int keyBytes() {
    return Short.toUnsignedInt(row.getShort(KEY_LENGTH_AT - missing));
  }

  private int keyAt() {
    return KEY_AT - missing;
  }

  private Bytes slice(int from, int to) {
    return Bytes.wrapUnsafe(Arrays.copyOfRange(row.array(), from, to));
  }
}
