package io.kvorum.log;

import io.kvorum.raft.Entry;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The newest entries, in the heap up to a number of bytes, so that replication and apply rarely
 * touch the map. The log thread changes it, any thread reads it.
 */
final class RecentEntries {
  private final long bytesMax;
  private @Nullable Entry[] ring = new Entry[64];

  /** The entries are those with first <= index < next; entry i is at i modulo the ring's length. */
  private long first = 1;

  private long next = 1;
  private long bytes;

  RecentEntries(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Adds entries that follow the last one; after a gap, all older ones go. */
  synchronized void add(List<Entry> entries) {
    for (Entry entry : entries) {
      if (entry.index() != next) {
        clear(entry.index());
      }
      if (next - first == ring.length) {
        grow();
      }
      ring[slot(next)] = entry;
      next++;
      bytes += entry.sizeBytes();
    }
    while (bytes > bytesMax && first < next) {
      drop(first);
      first++;
    }
  }

  /** Forgets the entries behind {@code lastIndex}. */
  synchronized void truncate(long lastIndex) {
    if (lastIndex < first) {
      clear(lastIndex + 1);
    }
    while (next - 1 > lastIndex && next > first) {
      next--;
      drop(next);
    }
  }

  synchronized @Nullable Entry get(long index) {
    return index >= first && index < next ? ring[slot(index)] : null;
  }

  /**
   * Appends consecutive entries from {@code from} to {@code result}, as many as are here, before
   * {@code to}, and in the limit; the first that makes an empty result non-empty is free of it.
   *
   * @return the bytes that the limit has left, negative once an entry did not fit
   */
  synchronized long collect(long from, long to, long bytesLeft, List<Entry> result) {
    long left = bytesLeft;
    for (long index = from; index >= first && index < next && index < to; index++) {
      Entry entry = at(index);
      if (!result.isEmpty() && entry.sizeBytes() > left) {
        return -1;
      }
      result.add(entry);
      left -= entry.sizeBytes();
    }
    return left;
  }

  private void clear(long nextIndex) {
    ring = new Entry[64];
    first = nextIndex;
    next = nextIndex;
    bytes = 0;
  }

  private void drop(long index) {
    bytes -= at(index).sizeBytes();
    ring[slot(index)] = null;
  }

  private void grow() {
    @Nullable Entry[] larger = new Entry[ring.length * 2];
    for (long index = first; index < next; index++) {
      larger[(int) (index % larger.length)] = ring[slot(index)];
    }
    ring = larger;
  }

  private Entry at(long index) {
    return Objects.requireNonNull(ring[slot(index)]);
  }

  private int slot(long index) {
    return (int) (index % ring.length);
  }
}
