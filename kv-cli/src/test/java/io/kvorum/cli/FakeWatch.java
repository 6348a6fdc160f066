package io.kvorum.cli;

import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import java.util.concurrent.CompletableFuture;

/** A watch that has told everything when it is there, and ends when it is closed. */
final class FakeWatch implements Watch {
  private final WatchListener listener;
  private final long started;
  private final CompletableFuture<WatchEnd> ended = new CompletableFuture<>();

  FakeWatch(WatchListener listener, long started, WatchEvents past) {
    this.listener = listener;
    this.started = started;
    if (!past.events().isEmpty()) {
      listener.events(past);
    }
  }

  void end(WatchEnd end) {
    if (ended.complete(end)) {
      listener.ended(end);
    }
  }

  @Override
  public CompletableFuture<Long> started() {
    return CompletableFuture.completedFuture(started);
  }

  @Override
  public CompletableFuture<WatchEnd> ended() {
    return ended;
  }

  @Override
  public void requestProgress() {
    listener.progress(started - 1);
  }

  @Override
  public void close() {
    end(new WatchEnd.Closed());
  }
}
