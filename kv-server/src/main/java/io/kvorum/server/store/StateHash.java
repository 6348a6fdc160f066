package io.kvorum.server.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A hash of a state: the sum, modulo 2^128, of the hashes of its rows. So it does not depend on the
 * order in which they came, and follows a change of one row without a look at the others.
 *
 * <p>What is in it: the rows of live keys in {@link Table#LATEST}, all of {@link Table#LEASE} and
 * {@link Table#SESSION}; with {@link StoreState#hash}, the revision, the compact revision, the log
 * time and the membership. A large value is in there by its digest, which stands in its row. All
 * that follows from the log alone: members that have applied the same entries have the same hash,
 * whenever each of them has flushed, restarted, compacted or been given a snapshot (FAULTS F072,
 * F148).
 *
 * <p>What is not: deleted keys, {@link Table#REV} and how far the removal of history is. Each
 * member removes at its own time, and what it has removed may show in the rows that are left of the
 * history.
 *
 * <p>The hash of a row is MurmurHash3's for 128 bits, of the key and then, seeded with that, of the
 * value. It is there to find bugs and broken hardware. Against somebody who looks for collisions it
 * does not help, and need not: whoever may write, writes the same rows on all members.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record StateHash(long high, long low) {
  /** Of no rows. */
  public static final StateHash ZERO = new StateHash(0, 0);

  /** How long it is in bytes. */
  public static final int BYTES = 2 * Long.BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;
  private static final long SEED = 0x6b766f72756d0001L;

  /** Of one row. */
  static StateHash ofRow(Table table, byte[] key, byte[] value) {
    return of(value, of(key, new StateHash(SEED, table.code())));
  }

  /** Of bytes, from a seed. */
  static StateHash of(byte[] bytes, StateHash seed) {
    long h1 = seed.high;
    long h2 = seed.low;
    int whole = bytes.length & -16;
    for (int i = 0; i < whole; i += 16) {
      h1 ^= first((long) LONGS.get(bytes, i));
      h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
      h2 ^= second((long) LONGS.get(bytes, i + 8));
      h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    h2 ^= second(rest(bytes, whole + 8, bytes.length));
    h1 ^= first(rest(bytes, whole, Math.min(whole + 8, bytes.length)));
    h1 ^= bytes.length;
    h2 ^= bytes.length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    return new StateHash(h1, h2 + h1);
  }

  private static long first(long k) {
    return Long.rotateLeft(k * C1, 31) * C2;
  }

  private static long second(long k) {
    return Long.rotateLeft(k * C2, 33) * C1;
  }

  private static long rest(byte[] bytes, int from, int to) {
    long rest = 0;
    for (int i = to - 1; i >= from; i--) {
      rest = (rest << 8) | (bytes[i] & 0xff);
    }
    return rest;
  }

  private static long finish(long h) {
    long mixed = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** Of these rows and those. */
  StateHash plus(StateHash other) {
    long sum = low + other.low;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new StateHash(high + other.high + carry, sum);
  }

  /** Of these rows without those. */
  StateHash minus(StateHash other) {
    long borrow = Long.compareUnsigned(low, other.low) < 0 ? 1 : 0;
    return new StateHash(high - other.high - borrow, low - other.low);
  }

  /** The next 16 bytes, big-endian. */
  static StateHash read(ByteBuffer in) {
    return new StateHash(in.getLong(), in.getLong());
  }

  void write(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    return "%016x%016x".formatted(high, low);
  }
}
