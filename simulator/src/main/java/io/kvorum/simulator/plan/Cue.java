package io.kvorum.simulator.plan;

import java.util.Locale;

/** What a fault may wait for. */
public enum Cue {
  /** A node begins to lead. */
  ELECTED,
  /** A node campaigns in a new term. */
  CAMPAIGNED,
  /** A node gives its vote to another one. */
  VOTED,
  /** A leader sends entries. */
  APPENDED,
  /** Entries arrive at a follower. */
  DELIVERED,
  /** A node asked to take over hears of it. */
  HANDED_OVER,
  /** A node begins to act by another membership. */
  REGROUPED,
  /** A node gives up entries that were on its disk, and may be about to write others there. */
  TRUNCATED,
  /** A frame about a snapshot is sent. */
  SNAPSHOT_MOVED,
  /** A node's state was replaced by a snapshot. */
  INSTALLED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
