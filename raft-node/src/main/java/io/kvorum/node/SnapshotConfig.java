package io.kvorum.node;

import java.time.Duration;

/**
 * When a node takes snapshots, and what it keeps.
 *
 * @param logBytes a snapshot is taken when entries of so many bytes were applied since the last
 *     one; 0: never for that reason
 * @param interval and when the last one is so old, if anything was applied since; zero: never for
 *     that reason
 * @param keptLogBytes the log is cut behind a snapshot, lowest first, only while more than this
 *     stays: what members that are a little behind are fed from. 0: all that a snapshot holds goes
 * @param sendBytesPerSecond how fast snapshots are sent, to all receivers together
 * @param count how many snapshots are kept, besides those that are being sent
 */
public record SnapshotConfig(
    long logBytes, Duration interval, long keptLogBytes, long sendBytesPerSecond, int count) {
  /** One for each 256 MiB of log; 256 MiB of log stay; sent with at most 64 MiB a second. */
  public static final SnapshotConfig DEFAULT =
      new SnapshotConfig(256L << 20, Duration.ZERO, 256L << 20, 64L << 20, 1);

  /** Snapshots are taken on demand only, and received when a leader offers one. */
  public static final SnapshotConfig NEVER = DEFAULT.withLogBytes(0);

  public SnapshotConfig {
    check(logBytes >= 0, "logBytes must not be negative");
    check(!interval.isNegative(), "interval must not be negative");
    check(keptLogBytes >= 0, "keptLogBytes must not be negative");
    check(sendBytesPerSecond > 0, "sendBytesPerSecond must be positive");
    check(count >= 1, "count must be positive");
  }

  public SnapshotConfig withLogBytes(long bytes) {
    return new SnapshotConfig(bytes, interval, keptLogBytes, sendBytesPerSecond, count);
  }

  public SnapshotConfig withInterval(Duration age) {
    return new SnapshotConfig(logBytes, age, keptLogBytes, sendBytesPerSecond, count);
  }

  public SnapshotConfig withKeptLogBytes(long bytes) {
    return new SnapshotConfig(logBytes, interval, bytes, sendBytesPerSecond, count);
  }

  public SnapshotConfig withSendBytesPerSecond(long bytes) {
    return new SnapshotConfig(logBytes, interval, keptLogBytes, bytes, count);
  }

  public SnapshotConfig withCount(int snapshots) {
    return new SnapshotConfig(logBytes, interval, keptLogBytes, sendBytesPerSecond, snapshots);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
