package io.kvorum.node;

import java.time.Duration;

/**
 * When a node takes snapshots, and what it keeps.
 *
 * @param logBytes a snapshot is taken when entries of so many bytes were applied since the last
 *     one, or of as many as the last one has itself, if that is more, but of no more than {@code
 *     logBudgetBytes} then; 0: never for that reason
 * @param interval and when the last one is so old, if anything was applied since; zero: never for
 *     that reason
 * @param keptLogBytes the log is cut behind a snapshot, lowest first, only while more than this
 *     stays: what members that are a little behind are fed from. 0: all that a snapshot holds goes
 * @param logBudgetBytes what members that live still need is not cut while the log is within this;
 *     who is farther behind gets a snapshot
 * @param sendBytesPerSecond how fast snapshots are sent, to all receivers together
 * @param chunkBytes how much a receiver asks for at once, at most {@link
 *     SnapshotFrame#CHUNK_BYTES_MAX}
 * @param count how many snapshots are kept, besides those that are being sent
 */
public record SnapshotConfig(
    long logBytes,
    Duration interval,
    long keptLogBytes,
    long logBudgetBytes,
    long sendBytesPerSecond,
    int chunkBytes,
    int count) {
  /** One for each 256 MiB of log; 256 MiB of it stay, 1 GiB if needed; 64 MiB sent a second. */
  public static final SnapshotConfig DEFAULT =
      new SnapshotConfig(
          256L << 20,
          Duration.ZERO,
          256L << 20,
          1L << 30,
          64L << 20,
          SnapshotFrame.CHUNK_BYTES_MAX,
          1);

  /** Snapshots are taken on demand only, and received when a leader offers one. */
  public static final SnapshotConfig NEVER = DEFAULT.withLogBytes(0);

  public SnapshotConfig {
    check(logBytes >= 0, "logBytes must not be negative");
    check(!interval.isNegative(), "interval must not be negative");
    check(keptLogBytes >= 0, "keptLogBytes must not be negative");
    check(logBudgetBytes >= keptLogBytes, "logBudgetBytes must be at least keptLogBytes");
    check(sendBytesPerSecond > 0, "sendBytesPerSecond must be positive");
    check(
        chunkBytes > 0 && chunkBytes <= SnapshotFrame.CHUNK_BYTES_MAX,
        "chunkBytes must be positive and at most " + SnapshotFrame.CHUNK_BYTES_MAX);
    check(count >= 1, "count must be positive");
  }

  public SnapshotConfig withLogBytes(long bytes) {
    return new SnapshotConfig(
        bytes, interval, keptLogBytes, logBudgetBytes, sendBytesPerSecond, chunkBytes, count);
  }

  public SnapshotConfig withInterval(Duration age) {
    return new SnapshotConfig(
        logBytes, age, keptLogBytes, logBudgetBytes, sendBytesPerSecond, chunkBytes, count);
  }

  /** Both bounds of what stays of the log. */
  public SnapshotConfig withLogBounds(long keptBytes, long budgetBytes) {
    return new SnapshotConfig(
        logBytes, interval, keptBytes, budgetBytes, sendBytesPerSecond, chunkBytes, count);
  }

  public SnapshotConfig withSendBytesPerSecond(long bytes) {
    return new SnapshotConfig(
        logBytes, interval, keptLogBytes, logBudgetBytes, bytes, chunkBytes, count);
  }

  public SnapshotConfig withChunkBytes(int bytes) {
    return new SnapshotConfig(
        logBytes, interval, keptLogBytes, logBudgetBytes, sendBytesPerSecond, bytes, count);
  }

  public SnapshotConfig withCount(int snapshots) {
    return new SnapshotConfig(
        logBytes,
        interval,
        keptLogBytes,
        logBudgetBytes,
        sendBytesPerSecond,
        chunkBytes,
        snapshots);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
