package io.kvorum.node.netty;

import io.kvorum.node.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lets one warning of each kind through in a minute, and no more than a few hundred in all: what is
 * logged must not depend on how often somebody sends garbage.
 */
final class WarnLimit {
  static final int KINDS_MAX = 256;
  static final long PAUSE_NANOS = 60_000_000_000L;

  private final Clock clock;

  /** When each kind was last let through; the oldest first. */
  private final Map<String, Long> warned = new LinkedHashMap<>();

  WarnLimit(Clock clock) {
    this.clock = clock;
  }

  /**
   * Whether to warn now.
   *
   * @param kind such as the remote host with what it did
   */
  boolean allows(String kind) {
    long now = clock.nanoTime();
    Iterator<Long> oldest = warned.values().iterator();
    while (oldest.hasNext() && now - oldest.next() >= PAUSE_NANOS) {
      oldest.remove();
    }
    return warned.size() < KINDS_MAX && warned.putIfAbsent(kind, now) == null;
  }
}
