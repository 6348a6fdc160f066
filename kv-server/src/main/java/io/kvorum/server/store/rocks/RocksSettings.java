package io.kvorum.server.store.rocks;

import java.time.Duration;

/**
 * Sizes of a RocksDB; nothing here changes what it holds.
 *
 * @param blockCacheBytes cache of blocks, shared by the tables
 * @param latestBufferBytes memory for writes to {@code latest}: small, since a random insert into a
 *     large one misses the processor's cache
 * @param revBufferBytes memory for writes to {@code rev}
 * @param closeWait how long a close waits for readers
 */
public record RocksSettings(
    long blockCacheBytes, long latestBufferBytes, long revBufferBytes, Duration closeWait) {
  public static final RocksSettings DEFAULT =
      new RocksSettings(64L << 20, 16L << 20, 64L << 20, Duration.ofSeconds(10));

  public RocksSettings {
    if (blockCacheBytes < 0 || latestBufferBytes < 1 || revBufferBytes < 1) {
      throw new IllegalArgumentException("buffers are of at least one byte, the cache of 0");
    }
    if (closeWait.isNegative()) {
      throw new IllegalArgumentException("closeWait is negative: " + closeWait);
    }
  }

  public RocksSettings withBlockCacheBytes(long bytes) {
    return new RocksSettings(bytes, latestBufferBytes, revBufferBytes, closeWait);
  }

  public RocksSettings withBuffers(long latestBytes, long revBytes) {
    return new RocksSettings(blockCacheBytes, latestBytes, revBytes, closeWait);
  }

  public RocksSettings withCloseWait(Duration atMost) {
    return new RocksSettings(blockCacheBytes, latestBufferBytes, revBufferBytes, atMost);
  }
}
