package io.kvorum.bench.load;

import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A store in memory, on a thread of its own like that of a real client. Linearizable, unless it is
 * told to lose or to forget.
 */
final class FakeStore implements Store {
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final Map<Key, List<byte[]>> values = new HashMap<>();
  private final List<ChangeListener> listeners = new ArrayList<>();

  /** From now on puts are acknowledged and thrown away. */
  volatile boolean loses;

  /** From now on reads return what a key held before. */
  volatile boolean isStale;

  /** From now on calls fail. */
  volatile boolean fails;

  @Override
  public CompletableFuture<Void> put(Key key, byte[] value) {
    return CompletableFuture.runAsync(() -> set(key, value), thread);
  }

  private void set(Key key, byte[] value) {
    if (fails) {
      throw new IllegalStateException("told to fail");
    }
    if (!loses) {
      values.computeIfAbsent(key, first -> new ArrayList<>()).add(value);
      listeners.forEach(listener -> listener.changed(key.number(), value));
    }
  }

  @Override
  public CompletableFuture<byte[]> get(Key key) {
    return CompletableFuture.supplyAsync(() -> newest(key, isStale ? 2 : 1), thread);
  }

  private byte[] newest(Key key, int back) {
    List<byte[]> history = values.getOrDefault(key, List.of());
    return history.isEmpty() ? null : history.get(Math.max(0, history.size() - back));
  }

  @Override
  public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
    return CompletableFuture.supplyAsync(
        () -> {
          boolean holds = Arrays.equals(newest(key, 1), expected);
          if (holds) {
            set(key, value);
          }
          return holds;
        },
        thread);
  }

  @Override
  public void watch(ChangeListener listener) {
    thread.execute(() -> listeners.add(listener));
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
