package io.kvorum.server.store;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyValue;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@link Table#REV}: what happened at one place of the store's history. The key is u64
 * revision, u16 sub. The row, big-endian:
 *
 * <pre>u8 type (1 put, 2 delete) | u64 createRevision | u64 version | u64 lease | u64 prevRevision
 * | u16 prevSub | u16 length of the key | key | value, to the end of the row</pre>
 *
 * <p>prevRevision and prevSub say where the same key changed before, a deletion included; revision
 * 0: never. A delete has createRevision, version and lease 0 and no value.
 */
final class RevRow {
  private static final byte PUT = 1;
  private static final byte DELETE = 2;
  private static final int CREATE_AT = 1;
  private static final int VERSION_AT = 9;
  private static final int LEASE_AT = 17;
  private static final int PREV_REVISION_AT = 25;
  private static final int PREV_SUB_AT = 33;
  private static final int KEY_LENGTH_AT = 35;
  private static final int KEY_AT = 37;

  private final long revision;
  private final ByteBuffer row;

  RevRow(long revision, byte[] row) {
    this.revision = revision;
    this.row = ByteBuffer.wrap(row);
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
   */
  static byte[] encode(Bytes key, LatestRow now, @Nullable LatestRow before) {
    byte[] value = now.value() == null ? new byte[0] : now.value().arrayUnsafe();
    ByteBuffer out = ByteBuffer.allocate(KEY_AT + key.size() + value.length);
    out.put(now.tombstone() ? DELETE : PUT);
    out.putLong(now.createRevision()).putLong(now.version()).putLong(now.lease());
    out.putLong(before == null ? 0 : before.modRevision());
    out.putShort((short) (before == null ? 0 : before.modSub()));
    out.putShort((short) key.size()).put(key.arrayUnsafe()).put(value);
    return out.array();
  }

  /** The revision in the key of a row. */
  static long revision(byte[] key) {
    return ByteBuffer.wrap(key).getLong();
  }

  boolean isDelete() {
    return row.get(0) == DELETE;
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
    return slice(KEY_AT, KEY_AT + keyLength());
  }

  Bytes value() {
    return slice(KEY_AT + keyLength(), row.capacity());
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

  private int keyLength() {
    return Short.toUnsignedInt(row.getShort(KEY_LENGTH_AT));
  }

  private Bytes slice(int from, int to) {
    return Bytes.wrapUnsafe(Arrays.copyOfRange(row.array(), from, to));
  }
}
