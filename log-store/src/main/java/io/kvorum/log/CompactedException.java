package io.kvorum.log;

import io.kvorum.raft.EntryId;

/** The entry asked for has been given up by a prefix truncation: a snapshot holds its effect. */
public final class CompactedException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public CompactedException(long index, EntryId compacted) {
    super("entry " + index + " is compacted; the log begins behind " + compacted);
  }
}
