package io.kvorum.bench.load;

import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store in memory, linearizable unless it is told to lose or to forget. */
class FakeStore implements Store {
  private final Map<Key, List<byte[]>> values = new ConcurrentHashMap<>();
  private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();

  /** From now on puts are acknowledged and thrown away. */
  volatile boolean loses;

  /** From now on reads return what a key held before. */
  volatile boolean isStale;

  /** From now on calls fail. */
  volatile boolean fails;

  @Override
  public CompletableFuture<Void> put(Key key, byte[] value) {
    if (fails) {
      return CompletableFuture.failedFuture(new IllegalStateException("told to fail"));
    }
    if (!loses) {
      values.computeIfAbsent(key, first -> new CopyOnWriteArrayList<>()).add(value);
      listeners.forEach(listener -> listener.changed(key.number(), value));
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<byte[]> get(Key key) {
    List<byte[]> history = new ArrayList<>(values.getOrDefault(key, List.of()));
    int back = isStale && history.size() > 1 ? 2 : 1;
    return CompletableFuture.completedFuture(
        history.isEmpty() ? null : history.get(history.size() - back));
  }

  @Override
  public synchronized CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
    List<byte[]> history = values.getOrDefault(key, List.of());
    boolean holds =
        !history.isEmpty() && Arrays.equals(history.get(history.size() - 1), expected);
    return holds ? put(key, value).thenApply(done -> true) : CompletableFuture.completedFuture(false);
  }

  @Override
  public void watch(ChangeListener listener) {
    listeners.add(listener);
  }

  @Override
  public void close() {
    values.clear();
  }
}
