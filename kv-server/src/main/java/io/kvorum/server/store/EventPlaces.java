package io.kvorum.server.store;

import io.kvorum.raft.InvariantViolation;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;

/**
 * Places of events in {@link Table#REV}, many of them: each takes a long. As a list, the keys of
 * their rows: see {@link RevRow#key}.
 */
final class EventPlaces extends AbstractList<byte[]> implements RandomAccess {
  /** What a store comes to in 40 years of 100,000 changes a second. */
  static final long REVISION_MAX = (1L << 47) - 1;

  private static final int SUB_BITS = Short.SIZE;
  private static final long SUB_MASK = (1L << SUB_BITS) - 1;

  private long[] places = new long[64];
  private int size;

  /** Adds a place. */
  void add(long revision, int sub) {
    if (revision < 0 || revision > REVISION_MAX) {
      throw new InvariantViolation("revision " + revision + " is not from 0 to " + REVISION_MAX);
    }
    reserve(1);
    places[size++] = revision << SUB_BITS | sub;
  }

  /** Adds the place of the row with this key. */
  void addKey(byte[] key) {
    ByteBuffer in = ByteBuffer.wrap(key);
    add(in.getLong(), Short.toUnsignedInt(in.getShort()));
  }

  /** A place as a number, in the order of their keys. */
  long place(int index) {
    return places[index];
  }

  /** The key of the row at such a place. */
  static byte[] key(long place) {
    return RevRow.key(place >>> SUB_BITS, (int) (place & SUB_MASK));
  }

  /** Adds those of another list. */
  void addAll(EventPlaces others) {
    reserve(others.size);
    System.arraycopy(others.places, 0, places, size, others.size);
    size += others.size;
  }

  private void reserve(int more) {
    if (size + more > places.length) {
      places = Arrays.copyOf(places, Math.max(size + more, 2 * places.length));
    }
  }

  /** From now on they are in order of their keys, and each is there once. */
  void sortOnce() {
    Arrays.sort(places, 0, size);
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (i == 0 || places[i] != places[i - 1]) {
        places[kept++] = places[i];
      }
    }
    size = kept;
  }

  @Override
  public byte[] get(int index) {
    return key(places[index]);
  }

  @Override
  public int size() {
    return size;
  }
}
