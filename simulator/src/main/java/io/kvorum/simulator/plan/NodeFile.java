package io.kvorum.simulator.plan;

import java.util.Locale;

/** The files of a data directory, as far as one may be lost or damaged. */
public enum NodeFile {
  IDENTITY,
  PEERS,
  VOTE,
  /** The oldest segment of the log. */
  FIRST_SEGMENT,
  /** The segment that was written last. */
  LAST_SEGMENT,
  /** All that the state machine keeps. */
  STATE,
  /** The manifest of the newest snapshot. */
  SNAPSHOT_MANIFEST,
  /** A file of the newest snapshot. */
  SNAPSHOT_FILE;

  /** Those that a node has whose run knows no snapshots. */
  static final NodeFile[] OF_EVERY_NODE = {
    IDENTITY, PEERS, VOTE, FIRST_SEGMENT, LAST_SEGMENT, STATE
  };

  /** Whether a node lives on without it, and must: what is in it can be made again. */
  public boolean isCopy() {
    return this == SNAPSHOT_MANIFEST || this == SNAPSHOT_FILE;
  }

  /** Whether it holds a part of the log. */
  public boolean isSegment() {
    return this == FIRST_SEGMENT || this == LAST_SEGMENT;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
