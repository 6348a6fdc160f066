package io.kvorum.client;

import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.RangeCursor;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a range, then watches it from behind what was read; reads it again when compaction has
 * overtaken the watch (FAULTS F120).
 *
 * <p>Steps follow one another: the watch begins when the listener has returned from the snapshot,
 * and the range is read again when the watch has ended. So the listener hears one thing at a time,
 * and whoever decides that it is over tells it so, once.
 */
final class SnapshotWatch implements Watch, EndsWithClient {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotWatch.class);

  private final KvClient client;
  private final Watches watches;
  private final KeyRange range;
  private final WatchOptions options;
  private final SnapshotListener listener;
  private final CompletableFuture<Long> started = new CompletableFuture<>();
  private final CompletableFuture<WatchEnd> ended = new CompletableFuture<>();

  /** Guards what follows. */
  private final Object lock = new Object();

  private @Nullable Watch inner;
  private @Nullable WatchEnd wanted;
  private boolean isTelling;
  private boolean isOver;

  private int failures;

  SnapshotWatch(
      KvClient client,
      Watches watches,
      KeyRange range,
      WatchOptions options,
      SnapshotListener listener) {
    this.client = client;
    this.watches = watches;
    this.range = range;
    this.options = options;
    this.listener = listener;
  }

  /** Begins. */
  void start() {
    if (watches.enter(this)) {
      read();
    }
  }

  private void read() {
    if (!isWanted()) {
      return;
    }
    RangeCursor pages = client.pages(range);
    readOn(pages, new ArrayList<>());
  }

  private boolean isWanted() {
    synchronized (lock) {
      return wanted == null;
    }
  }

  private void readOn(RangeCursor pages, List<KeyValue> read) {
    var unused =
        pages
            .next()
            .whenComplete(
                (page, failure) -> {
                  if (failure != null) {
                    notRead(failure);
                    return;
                  }
                  read.addAll(page);
                  if (pages.isAtEnd() || !isWanted()) {
                    watches.executeListener(() -> tellSnapshot(pages.revision(), read));
                  } else {
                    readOn(pages, read);
                  }
                });
  }

  /** Tries again, later, whatever may get better. */
  private void notRead(Throwable failure) {
    boolean isHopeless =
        failure instanceof KvException.Rejected && !(failure instanceof KvException.Compacted);
    if (isHopeless) {
      stop(new WatchEnd.Rejected((KvException.Rejected) failure));
      return;
    }
    LOG.debug("reading {} failed; trying again", range, failure);
    failures = Math.min(failures + 1, 64);
    watches.later(failures, this::read);
  }

  private void tellSnapshot(long revision, List<KeyValue> read) {
    failures = 0;
    synchronized (lock) {
      if (wanted != null) {
        return;
      }
      isTelling = true;
    }
    tell(() -> listener.snapshot(revision, List.copyOf(read)));
    started.complete(revision + 1);
    WatchEnd end;
    synchronized (lock) {
      isTelling = false;
      end = wanted;
      if (end == null) {
        // Under the lock, so that whoever closes from now on finds it.
        inner = client.watch(range, options.withFromRevision(revision + 1), new Forward());
      }
    }
    if (end != null) {
      finish(end);
    }
  }

  @Override
  public CompletableFuture<Long> started() {
    return started.copy();
  }

  @Override
  public CompletableFuture<WatchEnd> ended() {
    return ended.copy();
  }

  @Override
  public void requestProgress() {
    Watch present;
    synchronized (lock) {
      present = inner;
    }
    if (present != null) {
      present.requestProgress();
    }
  }

  @Override
  public void close() {
    stop(new WatchEnd.Closed());
  }

  @Override
  public void clientClosed() {
    stop(new WatchEnd.ClientClosed());
  }

  private void stop(WatchEnd why) {
    Watch present;
    boolean isQuiet;
    synchronized (lock) {
      if (wanted != null) {
        return;
      }
      wanted = why;
      present = inner;
      isQuiet = present == null && !isTelling;
    }
    if (present != null) {
      // Its end is ours.
      present.close();
    } else if (isQuiet) {
      watches.executeListener(() -> finish(why));
    }
  }

  private void finish(WatchEnd end) {
    synchronized (lock) {
      if (isOver) {
        return;
      }
      isOver = true;
    }
    watches.leave(this);
    started.cancel(false);
    tell(() -> listener.ended(end));
    ended.complete(end);
  }

  @SuppressWarnings("CatchingUnchecked")
  private void tell(Runnable call) {
    try {
      call.run();
    } catch (Throwable bugOfTheListener) {
      // It is the application's, and must not stop the watches of others.
      LOG.error("the listener of a watch of {} failed", range, bugOfTheListener);
    }
  }

  /** Hears of the watch behind the snapshot. */
  private final class Forward implements WatchListener {
    @Override
    public void events(WatchEvents events) {
      listener.events(events);
    }

    @Override
    public void progress(long revision) {
      listener.progress(revision);
    }

    @Override
    public void ended(WatchEnd end) {
      WatchEnd why;
      synchronized (lock) {
        inner = null;
        why = wanted == null ? end : wanted;
      }
      if (why instanceof WatchEnd.Compacted) {
        // We do not know what happened in between; the present state says what has come of it.
        read();
      } else {
        finish(why);
      }
    }
  }
}
