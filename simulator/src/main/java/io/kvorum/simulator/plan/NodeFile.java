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
  STATE;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
