package io.kvorum.server.store;

/**
 * How much a store holds in memory and in one answer. Local to a node: nothing here changes what
 * the state is, or what a command does.
 *
 * @param overlayRowsMax changed rows of {@code latest} kept on the heap before they are written
 * @param overlayBytesMax the same in bytes; also the most bytes of log to replay that the heap adds
 * @param cacheBytesMax unchanged rows of {@code latest} kept on the heap
 * @param answerBytesMax bytes of keys and values in the answer to a range read; one key and value
 *     is returned even if it is larger
 * @param removalRows so many rows of history are removed at once, apart from all other changes; if
 *     there are less than a fiftieth of it, with them
 * @param checkEntries after how many entries a leader has the states of the members compared; 0:
 *     never
 */
public record StoreOptions(
    int overlayRowsMax,
    long overlayBytesMax,
    long cacheBytesMax,
    long answerBytesMax,
    int removalRows,
    long checkEntries) {
  public static final StoreOptions DEFAULT =
      new StoreOptions(64 << 10, 32L << 20, 32L << 20, 4L << 20, 1_000_000, 4_096);

  public StoreOptions {
    if (overlayRowsMax < 1 || overlayBytesMax < 1) {
      throw new IllegalArgumentException("the overlay holds at least one row and one byte");
    }
    if (removalRows < 1) {
      throw new IllegalArgumentException("removalRows must be positive");
    }
    if (checkEntries < 0) {
      throw new IllegalArgumentException("checkEntries must not be negative");
    }
    if (cacheBytesMax < 0 || answerBytesMax < 1) {
      throw new IllegalArgumentException("cacheBytesMax is at least 0, answerBytesMax at least 1");
    }
  }

  public StoreOptions withOverlay(int rowsMax, long bytesMax) {
    return new StoreOptions(
        rowsMax, bytesMax, cacheBytesMax, answerBytesMax, removalRows, checkEntries);
  }

  public StoreOptions withCacheBytesMax(long bytes) {
    return new StoreOptions(
        overlayRowsMax, overlayBytesMax, bytes, answerBytesMax, removalRows, checkEntries);
  }

  public StoreOptions withAnswerBytesMax(long bytes) {
    return new StoreOptions(
        overlayRowsMax, overlayBytesMax, cacheBytesMax, bytes, removalRows, checkEntries);
  }

  public StoreOptions withRemovalRows(int rows) {
    return new StoreOptions(
        overlayRowsMax, overlayBytesMax, cacheBytesMax, answerBytesMax, rows, checkEntries);
  }

  public StoreOptions withCheckEntries(long entries) {
    return new StoreOptions(
        overlayRowsMax, overlayBytesMax, cacheBytesMax, answerBytesMax, removalRows, entries);
  }
}
