package io.kvorum.raft;

import java.util.List;

/**
 * The part of the log that has been handed to storage. The core reads entries here that it does not
 * hold in memory itself: those whose write was reported durable.
 *
 * <p>Called on the core's thread only. An entry may be read once its write has been reported
 * durable and until it is truncated; a write that is under way may but need not be visible.
 */
public interface LogReader {
  /**
   * The id before the first readable entry: the last one compacted, or {@link EntryId#ZERO}. Asked
   * once, at the start; later the core is told by {@link RaftCore#compacted}.
   */
  EntryId compacted();

  /**
   * The id of the last entry that was durable when the log was opened. Asked once, at the start.
   */
  EntryId last();

  /**
   * The term of the entry at {@code index}.
   *
   * @param index from {@code compacted().index()} to the last durable entry, both inclusive
   */
  long term(long index);

  /**
   * Consecutive entries from {@code from}, at least one, further ones while their sum of {@link
   * Entry#sizeBytes()} stays within {@code bytesMax}.
   *
   * @param from inclusive, above {@code compacted().index()}
   * @param to exclusive
   */
  List<Entry> entries(long from, long to, long bytesMax);
}
