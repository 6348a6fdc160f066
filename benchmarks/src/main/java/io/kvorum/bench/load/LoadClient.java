package io.kvorum.bench.load;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.Values;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * One of the clients of a load, which has one call under way. It reads any key, and writes those
 * whose number, divided by how many clients there are, leaves its own.
 */
final class LoadClient {
  private final Shared shared;
  private final int index;
  private final int ownKeys;
  private final SplittableRandom random;

  /** What the clients of a load have in common. */
  record Shared(
      Point point,
      Store store,
      List<Key> keys,
      Values values,
      Writes writes,
      Told told,
      LongAdder staleReads) {}

  /**
   * @param index from 0, below the number of clients
   */
  LoadClient(Shared shared, int index, SplittableRandom random) {
    this.shared = shared;
    this.index = index;
    int clients = shared.point().clients();
    this.ownKeys = (shared.keys().size() - index + clients - 1) / clients;
    this.random = random;
  }

  /** Makes the next call. */
  CompletableFuture<?> call() {
    Workload workload = shared.point().workload();
    return switch (workload) {
      case PUT -> put(ownKey());
      case GET -> get(anyKey());
      case MIXED ->
          random.nextInt(100) < Workload.MIXED_READS_PERCENT ? get(anyKey()) : put(ownKey());
      case TXN -> swap(ownKey());
      case WATCH -> putAndHear(ownKey());
    };
  }

  private Key anyKey() {
    return shared.keys().get(random.nextInt(shared.keys().size()));
  }

  private Key ownKey() {
    return shared.keys().get(index + random.nextInt(ownKeys) * shared.point().clients());
  }

  private CompletableFuture<Void> put(Key key) {
    long sequence = shared.writes().begin(key);
    return shared
        .store()
        .put(key, shared.values().encode(key, sequence))
        .thenRun(() -> shared.writes().acknowledge(key, sequence));
  }

  private CompletableFuture<Void> get(Key key) {
    long floor = shared.writes().acknowledged(key);
    return shared
        .store()
        .get(key)
        .thenAccept(
            value -> {
              long sequence = shared.values().sequence(key, value);
              if (!shared.writes().mayBeSeen(key, sequence, floor)) {
                shared.staleReads().increment();
              }
            });
  }

  private CompletableFuture<Void> swap(Key key) {
    if (!shared.writes().isCertain(key)) {
      // A write failed and nobody knows whether it took effect: a put makes it certain again.
      return put(key);
    }
    byte[] expected = shared.values().encode(key, shared.writes().acknowledged(key));
    long sequence = shared.writes().begin(key);
    return shared
        .store()
        .swap(key, expected, shared.values().encode(key, sequence))
        .thenAccept(
            swapped -> {
              if (!swapped) {
                throw new IllegalStateException(key + " did not hold what was put last");
              }
              shared.writes().acknowledge(key, sequence);
            });
  }

  private CompletableFuture<Void> putAndHear(Key key) {
    long sequence = shared.writes().begin(key);
    CompletableFuture<Void> told = shared.told().expect(key, sequence);
    return shared
        .store()
        .put(key, shared.values().encode(key, sequence))
        .thenRun(() -> shared.writes().acknowledge(key, sequence))
        .thenCombine(told, (done, heard) -> null);
  }
}
