package io.kvorum.api;

import java.util.List;

/**
 * Hears of the state of a range, then of its changes: enough to keep a copy that is never wrong in
 * silence. Called as a {@link WatchListener} is.
 */
public interface SnapshotListener {
  /**
   * The whole range, as of a revision, in order of key. Comes first, and again whenever compaction
   * has overtaken the watch: then it replaces whatever was known before. No event is made up for
   * what changed in between.
   */
  void snapshot(long revision, List<KeyValue> keyValues);

  /** Changes behind the snapshot; never empty. */
  void events(WatchEvents events);

  /** With {@link WatchOptions#progress}: all events up to this revision have been delivered. */
  default void progress(long revision) {}

  /** Comes exactly once, and last; never with {@link WatchEnd.Compacted}. */
  default void ended(WatchEnd end) {}
}
