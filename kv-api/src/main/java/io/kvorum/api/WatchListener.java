package io.kvorum.api;

/**
 * Hears of changes. Called on the client's executor for listeners, one call at a time and in the
 * order of revisions.
 *
 * <p>A listener may block: its own watch then waits, holding a bounded number of bytes, and is
 * served from history when it goes on. An exception that leaves a listener is logged; the watch
 * goes on behind what that call was given.
 */
@FunctionalInterface
public interface WatchListener {
  /** Changes; never empty. */
  void events(WatchEvents events);

  /** With {@link WatchOptions#progress}: all events up to this revision have been delivered. */
  default void progress(long revision) {}

  /** The watch has ended: comes exactly once, and last. */
  default void ended(WatchEnd end) {}
}
