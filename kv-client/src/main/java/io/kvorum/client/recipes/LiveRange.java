package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a range that follows it, and a reader of it who is told when it has changed.
 *
 * <p>The copy goes on while the reader is busy; then it is told once, of the newest state. So the
 * reader may be slow and block, and what it sees is never older than when it was called.
 */
final class LiveRange<T> implements AutoCloseable {
  /**
   * What is known.
   *
   * @param revision everything up to here is in it
   */
  record State<T>(long revision, T value) {}

  private final RecipePorts ports;
  private final Function<SortedMap<Bytes, KeyValue>, T> meaning;
  private final Consumer<T> reader;
  private final Watch watch;
  private final CompletableFuture<Void> started;

  /** Guards what follows; nobody else's code is called with it held. */
  private final Object lock = new Object();

  private volatile @Nullable State<T> state;
  private boolean isTold = true;
  private boolean isTelling;
  private boolean isClosed;

  /**
   * Follows the range from now on.
   *
   * @param meaning of the keys, of which it keeps nothing; does not fail
   * @param reader is called on the executor for callbacks, one call at a time
   */
  LiveRange(
      RecipePorts ports,
      KeyRange range,
      Function<SortedMap<Bytes, KeyValue>, T> meaning,
      Consumer<T> reader) {
    this.ports = ports;
    this.meaning = meaning;
    this.reader = reader;
    Follower follower = new Follower();
    this.watch = ports.client().watchWithSnapshot(range, follower);
    this.started = watch.started().newIncompleteFuture();
    var unused = follower.first.whenComplete((nothing, failure) -> tellStarted(failure));
  }

  private void tellStarted(@Nullable Throwable failure) {
    ports.tell(
        () -> {
          if (failure == null) {
            started.complete(null);
          } else {
            started.completeExceptionally(Failures.cause(failure));
          }
        });
  }

  /** Completes when the state is known for the first time; fails if it never will be. */
  CompletableFuture<Void> started() {
    return started.copy();
  }

  /** The newest state that this process knows of; null before the first. */
  @Nullable State<T> state() {
    return state;
  }

  @Override
  public void close() {
    synchronized (lock) {
      isClosed = true;
    }
    watch.close();
  }

  private void publish(long revision, SortedMap<Bytes, KeyValue> copy) {
    T value = meaning.apply(Collections.unmodifiableSortedMap(copy));
    synchronized (lock) {
      state = new State<>(revision, value);
      isTold = false;
      if (isTelling || isClosed) {
        return;
      }
      isTelling = true;
    }
    ports.tell(this::tell);
  }

  private void tell() {
    State<T> newest;
    synchronized (lock) {
      newest = state;
      isTold = true;
      if (isClosed || newest == null) {
        isTelling = false;
        return;
      }
    }
    try {
      reader.accept(newest.value());
    } finally {
      boolean again;
      synchronized (lock) {
        again = !isTold && !isClosed;
        isTelling = again;
      }
      if (again) {
        ports.tell(this::tell);
      }
    }
  }

  /** Keeps the copy. The watch calls it from one thread at a time. */
  private final class Follower implements SnapshotListener {
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private final TreeMap<Bytes, KeyValue> copy = new TreeMap<>();

    @Override
    public void snapshot(long revision, List<KeyValue> keyValues) {
      copy.clear();
      keyValues.forEach(found -> copy.put(found.key(), found));
      publish(revision, copy);
      first.complete(null);
    }

    @Override
    public void events(WatchEvents events) {
      for (WatchEvent event : events.events()) {
        if (event.type() == WatchEvent.Type.PUT) {
          copy.put(event.keyValue().key(), event.keyValue());
        } else {
          copy.remove(event.keyValue().key());
        }
      }
      publish(events.revision(), copy);
    }

    @Override
    public void ended(WatchEnd end) {
      Throwable why =
          end instanceof WatchEnd.Rejected rejected
              ? rejected.cause()
              : new IllegalStateException("closed before the first state was known");
      first.completeExceptionally(why);
    }
  }
}
