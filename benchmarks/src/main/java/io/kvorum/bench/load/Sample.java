package io.kvorum.bench.load;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.Values;
import io.kvorum.node.Clock;
import io.kvorum.testkit.linearizability.History;
import io.kvorum.testkit.linearizability.KvInput;
import io.kvorum.testkit.linearizability.KvModel;
import io.kvorum.testkit.linearizability.KvOutput;
import io.kvorum.testkit.linearizability.LinearizabilityChecker;
import io.kvorum.testkit.linearizability.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Many clients that write and read the same few keys, so that their calls overlap in every way; and
 * the verdict of the linearizability checker on what they were answered.
 */
final class Sample {
  private static final int KEYS = 6;
  private static final int CLIENTS = 12;
  private static final int CALLS_OF_EACH = 200;

  private final Store store;
  private final List<Key> keys = new ArrayList<>();
  private final Values values;
  private final Clock clock;
  private final History<KvInput, KvOutput> history = new History<>();
  private final AtomicLong sequence = new AtomicLong();

  /**
   * @param firstKey from this number on no key exists
   */
  Sample(Store store, int firstKey, Values values, Clock clock) {
    this.store = store;
    this.values = values;
    this.clock = clock;
    for (int i = 0; i < KEYS; i++) {
      keys.add(Key.of(firstKey + i));
    }
  }

  /** What it came to. */
  record Result(int operations, Verdict verdict) {}

  Result run(long seed) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(i);
    }
    Each.call(clients, CLIENTS, client -> calls("c" + client, random.split(), CALLS_OF_EACH));
    Verdict verdict = LinearizabilityChecker.of(KvModel.amongOthers()).check(history);
    return new Result(history.operations().size(), verdict);
  }

  private CompletableFuture<Void> calls(String name, SplittableRandom random, int left) {
    if (left == 0) {
      return CompletableFuture.completedFuture(null);
    }
    Key key = keys.get(random.nextInt(KEYS));
    CompletableFuture<Void> call = random.nextBoolean() ? put(name, key) : get(name, key);
    return call.thenComposeAsync(done -> calls(name, random, left - 1));
  }

  private CompletableFuture<Void> put(String name, Key key) {
    long write = sequence.incrementAndGet();
    byte[] value = values.encode(key, write);
    KvInput input = new KvInput.Put(key.text(), Long.toString(write));
    long id = history.call(name, input, clock.nanoTime());
    return store
        .put(key, value)
        .handle(
            (done, thrown) -> {
              if (thrown == null) {
                history.returned(id, new KvOutput(0, null, List.of()), clock.nanoTime());
              } else {
                history.unknown(id);
              }
              return null;
            });
  }

  private CompletableFuture<Void> get(String name, Key key) {
    long id = history.call(name, new KvInput.Get(key.text()), clock.nanoTime());
    return store
        .get(key)
        .handle(
            (value, thrown) -> {
              if (thrown == null) {
                history.returned(id, KvOutput.found(0, seen(key, value)), clock.nanoTime());
              } else {
                history.didNotHappen(id);
              }
              return null;
            });
  }

  private KvOutput.Seen seen(Key key, byte @Nullable [] value) {
    return value == null
        ? KvOutput.Seen.ABSENT
        : KvOutput.Seen.value(Long.toString(values.sequence(key, value)));
  }
}
