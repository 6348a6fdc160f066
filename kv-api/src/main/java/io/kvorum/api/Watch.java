package io.kvorum.api;

import java.util.concurrent.CompletableFuture;

/** A watch under way. Thread-safe. */
public interface Watch extends AutoCloseable {
  /**
   * The first revision of which events are delivered, once a member has accepted the watch: what
   * was asked for, or what "from now on" has become.
   */
  CompletableFuture<Long> started();

  /** Completes with what the listener is told last, after it was told. */
  CompletableFuture<WatchEnd> ended();

  /**
   * Has the listener told how far it has everything, as soon as that is known, whether or not
   * {@link WatchOptions#progress} is set.
   */
  void requestProgress();

  /**
   * Ends the watch. When this has returned, no further call of the listener begins but {@link
   * WatchListener#ended}; one that has begun may go on. May be called by the listener. Closing
   * twice is allowed.
   */
  @Override
  void close();
}
