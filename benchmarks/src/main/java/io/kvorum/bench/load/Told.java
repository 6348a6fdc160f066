package io.kvorum.bench.load;

import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Values;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Who waits for a watch to tell of a write. At most one of each key. Thread-safe. */
final class Told implements ChangeListener {
  private final AtomicReferenceArray<@Nullable Waiting> waiting;
  private final List<Key> keys;
  private final Values values;

  private record Waiting(long sequence, CompletableFuture<Void> told) {}

  Told(List<Key> keys, Values values) {
    this.waiting = new AtomicReferenceArray<>(keys.size());
    this.keys = keys;
    this.values = values;
  }

  /** Before the write: completes when the watch has told of it. */
  CompletableFuture<Void> expect(Key key, long sequence) {
    Waiting next = new Waiting(sequence, new CompletableFuture<>());
    waiting.set(key.number(), next);
    return next.told();
  }

  @Override
  public void changed(int number, byte @Nullable [] value) {
    if (number >= keys.size()) {
      return;
    }
    Waiting now = waiting.get(number);
    // An event may come late, of a write that nobody waits for.
    if (now != null
        && (value == null || values.sequence(keys.get(number), value) == now.sequence())) {
      waiting.set(number, null);
      now.told().complete(null);
    }
  }
}
