package io.kvorum.api;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keys {@code k} with {@code from <= k < to}, in unsigned byte order: half-open, as in etcd.
 *
 * @param from the first key; not empty
 * @param to the first key behind the range, or null for all keys from {@code from} on
 */
public record KeyRange(Bytes from, @Nullable Bytes to) {
  /** The smallest key there is. */
  private static final Bytes FIRST_KEY = Bytes.copyOf(new byte[] {0});

  public KeyRange {
    if (from.isEmpty()) {
      throw new IllegalArgumentException("a range starts at a key of at least one byte");
    }
    if (to != null && from.compareTo(to) >= 0) {
      throw new IllegalArgumentException(
          "reversed or empty range: from " + from + " to (exclusive) " + to);
    }
  }

  /** The keys with {@code from <= k < to}. */
  public static KeyRange of(Bytes from, Bytes to) {
    return new KeyRange(from, to);
  }

  /** The one key. */
  public static KeyRange single(Bytes key) {
    return new KeyRange(key, Bytes.wrapUnsafe(Arrays.copyOf(key.arrayUnsafe(), key.size() + 1)));
  }

  /** Every key. */
  public static KeyRange all() {
    return new KeyRange(FIRST_KEY, null);
  }

  /** The keys from {@code from} on, {@code from} included. */
  public static KeyRange from(Bytes from) {
    return new KeyRange(from, null);
  }

  /**
   * The keys that start with {@code prefix}; every key when it is empty.
   *
   * <p>The end is the prefix with its last byte below 0xff raised by one and what follows cut off;
   * bytes are unsigned (FAULTS F138). A prefix of 0xff bytes only has no end.
   */
  public static KeyRange prefix(Bytes prefix) {
    if (prefix.isEmpty()) {
      return all();
    }
    byte[] end = prefix.toByteArray();
    int last = end.length - 1;
    while (last >= 0 && end[last] == (byte) 0xff) {
      last--;
    }
    if (last < 0) {
      return from(prefix);
    }
    end[last]++;
    return new KeyRange(prefix, Bytes.wrapUnsafe(Arrays.copyOf(end, last + 1)));
  }

  /** Whether it can hold one key only: nothing lies between a key and itself with a zero behind. */
  public boolean isSingle() {
    return to != null
        && to.size() == from.size() + 1
        && to.at(from.size()) == 0
        && to.startsWith(from);
  }

  /** Whether the range holds the key. */
  public boolean contains(Bytes key) {
    return from.compareTo(key) <= 0 && (to == null || key.compareTo(to) < 0);
  }
}
