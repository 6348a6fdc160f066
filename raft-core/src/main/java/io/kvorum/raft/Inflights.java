package io.kvorum.raft;

/**
 * The AppendEntries with entries that a follower has not answered: a window in messages and bytes.
 * What is answered is freed from the oldest on.
 */
final class Inflights {
  private final int messagesMax;
  private final long bytesMax;
  private long[] lastIndexes = new long[4];
  private long[] sizes = new long[4];
  private int first;
  private int count;
  private long bytes;

  Inflights(int messagesMax, long bytesMax) {
    this.messagesMax = messagesMax;
    this.bytesMax = bytesMax;
  }

  int messages() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  /** The last message may go over the limit of bytes, or a large one could never be sent. */
  boolean isFull() {
    return count >= messagesMax || bytes >= bytesMax;
  }

  void add(long lastIndex, long size) {
    InvariantViolation.check(!isFull(), "a full window sends nothing");
    if (count == lastIndexes.length) {
      grow();
    }
    int slot = (first + count) & (lastIndexes.length - 1);
    lastIndexes[slot] = lastIndex;
    sizes[slot] = size;
    bytes += size;
    count++;
  }

  /** The follower has everything up to {@code index}. */
  void freeTo(long index) {
    while (count > 0 && lastIndexes[first] <= index) {
      bytes -= sizes[first];
      first = (first + 1) & (lastIndexes.length - 1);
      count--;
    }
  }

  void clear() {
    count = 0;
    bytes = 0;
  }

  private void grow() {
    int length = lastIndexes.length;
    long[] newIndexes = new long[length * 2];
    long[] newSizes = new long[length * 2];
    for (int i = 0; i < count; i++) {
      newIndexes[i] = lastIndexes[(first + i) & (length - 1)];
      newSizes[i] = sizes[(first + i) & (length - 1)];
    }
    lastIndexes = newIndexes;
    sizes = newSizes;
    first = 0;
  }
}
