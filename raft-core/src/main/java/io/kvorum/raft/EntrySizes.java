package io.kvorum.raft;

/**
 * The sizes of consecutive entries, added behind the last and removed from the first on: a window
 * over the log that knows its bytes, whatever part of it is reported.
 */
final class EntrySizes {
  private int[] ring = new int[64];
  private long first = 1;
  private long next = 1;
  private long bytes;

  /** The sum over the window, {@link Entry#OVERHEAD_BYTES} included. */
  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return first == next;
  }

  /** Widens the window by the entry after its last one, or starts it anew if it is empty. */
  void add(Entry entry) {
    if (isEmpty()) {
      first = entry.index();
      next = first;
    }
    InvariantViolation.check(entry.index() == next, "a window of entries has no gap");
    if (next - first == ring.length) {
      grow();
    }
    ring[slot(next)] = entry.sizeBytes();
    bytes += entry.sizeBytes();
    next++;
  }

  /** Narrows the window to what is above {@code index}. */
  void removeTo(long index) {
    while (first <= index && first < next) {
      bytes -= ring[slot(first)];
      first++;
    }
  }

  private void grow() {
    int[] old = ring;
    ring = new int[old.length * 2];
    for (long index = first; index < next; index++) {
      ring[slot(index)] = old[(int) index & (old.length - 1)];
    }
  }

  private int slot(long index) {
    return (int) index & (ring.length - 1);
  }
}
