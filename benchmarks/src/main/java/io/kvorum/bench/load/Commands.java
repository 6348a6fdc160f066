package io.kvorum.bench.load;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.Values;
import io.kvorum.node.Clock;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** What a client process can be told to do. One after another; not thread-safe. */
public final class Commands {
  /** Calls under way where nothing is measured. */
  private static final int UNMEASURED_CALLS = 128;

  private static final long READY_LIMIT_NANOS = 90_000_000_000L;
  private static final long CALL_LIMIT_SECONDS = 10;
  private static final long PAUSE_MILLIS = 100;

  private final Store store;
  private final List<Key> keys;
  private final Values values;
  private final Writes writes;
  private final Clock clock;
  private final Driver driver;

  /**
   * @param keyCount how many keys loads use
   * @param proc where the kernel shows its processes
   */
  public Commands(Store store, int keyCount, Values values, Clock clock, Path proc) {
    this.store = store;
    this.values = values;
    this.clock = clock;
    this.keys = IntStream.range(0, keyCount).mapToObj(Key::of).toList();
    this.writes = new Writes(keyCount);
    this.driver = new Driver(store, keys, values, writes, clock, proc);
  }

  /** Does what the line says; returns the answer, one line. */
  public Fields execute(Fields command) throws Exception {
    String name = command.text("command");
    return switch (name) {
      case "preload" -> preload();
      case "point" -> driver.run(Point.parse(command)).fields();
      case "verify" -> verify();
      case "sample" -> sample(command.number("seed"));
      default -> throw new IllegalArgumentException("no such command: " + name);
    };
  }

  /** Waits until the system takes writes, then puts every key. */
  private Fields preload() throws InterruptedException {
    awaitReady(keys.get(0));
    Each.call(keys, UNMEASURED_CALLS, this::put);
    return new Fields().with("keys", keys.size());
  }

  private void awaitReady(Key key) throws InterruptedException {
    long end = clock.nanoTime() + READY_LIMIT_NANOS;
    while (true) {
      try {
        put(key).get(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException | TimeoutException | IllegalStateException notYet) {
        if (clock.nanoTime() - end > 0) {
          Throwable cause = Failures.cause(notYet);
          throw new IllegalStateException("takes no writes: " + cause, cause);
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    }
  }

  private CompletableFuture<?> put(Key key) {
    long sequence = writes.begin(key);
    return store
        .put(key, values.encode(key, sequence))
        .thenRun(() -> writes.acknowledge(key, sequence));
  }

  /** Reads every key once more: each holds its last write. */
  private Fields verify() throws InterruptedException {
    LongAdder wrong = new LongAdder();
    Each.call(
        keys,
        UNMEASURED_CALLS,
        key ->
            store
                .get(key)
                .thenAccept(
                    value -> {
                      long sequence = values.sequence(key, value);
                      if (!writes.mayBeSeen(key, sequence, writes.acknowledged(key))) {
                        wrong.increment();
                      }
                    }));
    return new Fields().with("keys", keys.size()).with("wrong", wrong.sum());
  }

  private Fields sample(long seed) throws InterruptedException {
    Sample.Result result = new Sample(store, keys.size(), values, clock).run(seed);
    if (!result.verdict().isLinearizable()) {
      System.err.println(result.verdict().text());
    }
    return new Fields()
        .with("operations", result.operations())
        .with("verdict", result.verdict().outcome());
  }
}
