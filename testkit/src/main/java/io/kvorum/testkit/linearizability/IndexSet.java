package io.kvorum.testkit.linearizability;

import java.util.Arrays;

/** Small immutable sets of indexes as bits, without trailing zeros. */
final class IndexSet {
  static final long[] EMPTY = {};

  private IndexSet() {}

  static boolean contains(long[] set, int index) {
    int word = index >> 6;
    return word < set.length && (set[word] & 1L << index) != 0;
  }

  static long[] with(long[] set, int index) {
    int word = index >> 6;
    long[] more = Arrays.copyOf(set, Math.max(set.length, word + 1));
    more[word] |= 1L << index;
    return more;
  }

  static boolean isSubset(long[] small, long[] large) {
    if (small.length > large.length) {
      return false;
    }
    for (int i = 0; i < small.length; i++) {
      if ((small[i] & ~large[i]) != 0) {
        return false;
      }
    }
    return true;
  }
}
