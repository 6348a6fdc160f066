package io.kvorum.server.watch;

import io.kvorum.protocol.ProtocolLimits;

/**
 * What watches may hold and do at a time.
 *
 * @param recentEvents the most events that are kept in memory
 * @param recentBytes the most bytes of these
 * @param partEvents the most events that are looked at for one watch, or read from history, before
 *     others have their turn
 * @param partBytes the same in bytes; a single event may have more
 * @param frameBytes about the size of a frame with many events
 * @param watchesMax the most watches of one connection
 */
public record WatchLimits(
    int recentEvents,
    long recentBytes,
    int partEvents,
    long partBytes,
    int frameBytes,
    int watchesMax) {
  public static final WatchLimits DEFAULT =
      new WatchLimits(32_768, 16L << 20, 1_000, 1 << 20, ProtocolLimits.WATCH_FRAME_BYTES, 65_536);

  public WatchLimits {
    if (recentEvents < 0 || recentBytes < 0) {
      throw new IllegalArgumentException("recent events and bytes are at least 0");
    }
    if (partEvents < 1 || partBytes < 1 || frameBytes < 1 || watchesMax < 1) {
      throw new IllegalArgumentException("parts, frames and watches are at least 1");
    }
  }
}
