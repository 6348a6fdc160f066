package io.kvorum.log;

import java.util.Arrays;

/**
 * Where some of a segment's entries are: about one for each 4 KiB, from which a reader walks on.
 * Any thread may look up while the log thread adds.
 */
final class SparseIndex {
  /** The distance of two points, at least, in bytes. */
  static final int STRIDE_BYTES = 4096;

  private long[] indexes = new long[16];
  private long[] terms = new long[16];
  private int[] positions = new int[16];
  private int count;

  /** Notes an entry; kept if it is far enough behind the last one kept. Indexes rise. */
  synchronized void add(long index, long term, int position) {
    if (count > 0 && position - positions[count - 1] < STRIDE_BYTES) {
      return;
    }
    if (count == indexes.length) {
      indexes = Arrays.copyOf(indexes, count * 2);
      terms = Arrays.copyOf(terms, count * 2);
      positions = Arrays.copyOf(positions, count * 2);
    }
    indexes[count] = index;
    terms[count] = term;
    positions[count] = position;
    count++;
  }

  /** The position of the last point at or before {@code index}; 0 if there is none. */
  synchronized int floor(long index) {
    int found = Arrays.binarySearch(indexes, 0, count, index);
    int point = found >= 0 ? found : -found - 2;
    return point < 0 ? 0 : positions[point];
  }

  /** Forgets all points behind {@code lastIndex}. */
  synchronized void truncate(long lastIndex) {
    while (count > 0 && indexes[count - 1] > lastIndex) {
      count--;
    }
  }

  synchronized int count() {
    return count;
  }

  synchronized long index(int point) {
    return indexes[point];
  }

  synchronized long term(int point) {
    return terms[point];
  }

  synchronized int position(int point) {
    return positions[point];
  }
}
