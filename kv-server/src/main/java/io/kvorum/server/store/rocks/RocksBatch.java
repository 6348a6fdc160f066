package io.kvorum.server.store.rocks;

import io.kvorum.server.store.Table;
import io.kvorum.server.store.TableBatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch in RocksDB's own serial form, made on the heap: one native call for each batch instead of
 * one for each row halves its cost (0.19 instead of 0.38 µs a put).
 *
 * <p>The form (db/write_batch.cc): u64 sequence, 0 here; u32 count of records, both little-endian;
 * then for each record a tag, the column family's id as a varint, and the key, and for a put the
 * value, each with its length as a varint before it.
 */
final class RocksBatch implements TableBatch {
  private static final byte TAG_DELETE = 0x4;
  private static final byte TAG_PUT = 0x5;
  private static final int HEADER_BYTES = 12;
  private static final long BYTES_MAX = Integer.MAX_VALUE - 8;

  /** A change of a row; without a value it goes. */
  private static final class Change {
    private final int familyId;
    private final byte[] key;
    private final byte @Nullable [] value;

    Change(int familyId, byte[] key, byte @Nullable [] value) {
      this.familyId = familyId;
      this.key = key;
      this.value = value;
    }

    long bytes() {
      long ofKey = 1L + varintBytes(familyId) + varintBytes(key.length) + key.length;
      return value == null ? ofKey : ofKey + varintBytes(value.length) + value.length;
    }
  }

  private final RocksTables owner;
  private final Map<Table, Integer> familyIds;
  private final List<Change> changes = new ArrayList<>();
  private long bytes = HEADER_BYTES;

  /**
   * @param owner the tables it is for
   * @param familyIds the id of each table's column family; not 0, which is the default one and has
   *     other tags
   */
  RocksBatch(RocksTables owner, Map<Table, Integer> familyIds) {
    this.owner = owner;
    this.familyIds = familyIds;
  }

  @Override
  public void put(Table table, byte[] key, byte[] value) {
    add(new Change(familyId(table), key, value));
  }

  @Override
  public void delete(Table table, byte[] key) {
    add(new Change(familyId(table), key, null));
  }

  private void add(Change change) {
    long after = bytes + change.bytes();
    if (after > BYTES_MAX) {
      throw new IllegalArgumentException("a batch over 2 GiB: " + after);
    }
    bytes = after;
    changes.add(change);
  }

  private int familyId(Table table) {
    Integer id = familyIds.get(table);
    if (id == null) {
      throw new AssertionError("no column family for " + table);
    }
    return id;
  }

  @Override
  public int sizeBytes() {
    return (int) bytes - HEADER_BYTES;
  }

  boolean isFor(RocksTables tables) {
    return owner == tables;
  }

  /** The native call takes an array without a length: so its size is reckoned before. */
  byte[] serialized() {
    ByteBuffer serial = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    serial.putLong(0).putInt(changes.size());
    for (Change change : changes) {
      byte[] value = change.value;
      serial.put(value == null ? TAG_DELETE : TAG_PUT);
      varint(serial, change.familyId);
      put(serial, change.key);
      if (value != null) {
        put(serial, value);
      }
    }
    return serial.array();
  }

  private static void put(ByteBuffer serial, byte[] bytes) {
    varint(serial, bytes.length);
    serial.put(bytes);
  }

  private static void varint(ByteBuffer serial, int value) {
    int rest = value;
    while (rest >= 0x80) {
      serial.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    serial.put((byte) rest);
  }

  private static int varintBytes(int value) {
    int bytes = 1;
    for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
      bytes++;
    }
    return bytes;
  }
}
