package io.kvorum.cli.demo;

import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Writers that count, each its own {@link Counter}, one write after another, with a read in between
 * now and then. Measures how long writes stand still.
 *
 * <p>All state belongs to one thread, the executor's.
 */
final class Load implements AutoCloseable {
  /** A read after so many writes of a writer. */
  private static final int READ_EVERY = 8;

  /** After a refusal, so that a cluster without a leader is not asked in a tight loop. */
  private static final long PAUSE_MILLIS = 5;

  private static final long NEVER = Long.MIN_VALUE;

  private final KvClient client;
  private final Clock clock;
  private final int writerCount;
  private final ScheduledExecutorService executor;
  private final List<Counter> counters = new ArrayList<>();
  private final Map<Counter.Verdict, Long> verdicts = new EnumMap<>(Counter.Verdict.class);
  private final List<CompletableFuture<Void>> writers = new ArrayList<>();
  private boolean stopping;
  private long lastSuccess = NEVER;
  private boolean marked;
  private long longestGapNanos;
  private long successes;

  Load(KvClient client, Clock clock, int writerCount) {
    this.client = client;
    this.clock = clock;
    this.writerCount = writerCount;
    this.executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "load");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * @param acknowledged writes
   * @param unknown writes whose outcome is unknown
   * @param verdicts on the reads, by kind
   */
  record Tally(long acknowledged, long unknown, Map<Counter.Verdict, Long> verdicts) {
    Tally {
      verdicts = Map.copyOf(verdicts);
    }

    long of(Counter.Verdict verdict) {
      return verdicts.getOrDefault(verdict, 0L);
    }
  }

  /** Starts the writers. Once. */
  void start() {
    ask(
        () -> {
          for (int i = 0; i < writerCount; i++) {
            Counter counter = new Counter(String.format(Locale.ROOT, "load/%02d", i));
            CompletableFuture<Void> end = new CompletableFuture<>();
            counters.add(counter);
            writers.add(end);
            write(counter, end);
          }
          return true;
        });
  }

  /** From now on, gaps count. */
  void mark() {
    ask(
        () -> {
          marked = true;
          longestGapNanos = 0;
          return true;
        });
  }

  /** Successful writes so far. */
  long successes() {
    return ask(() -> successes);
  }

  /** The longest time without a successful write that ended after {@link #mark}. */
  Duration longestGap() {
    return Duration.ofNanos(ask(() -> longestGapNanos));
  }

  /** Lets the writers end with the operation that they are in, and waits for them. */
  void stop(Duration limit) throws InterruptedException {
    List<CompletableFuture<Void>> ends =
        ask(
            () -> {
              stopping = true;
              return List.copyOf(writers);
            });
    try {
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new DemoFailure("a write was not answered within " + limit.toSeconds() + " s");
    } catch (ExecutionException failed) {
      throw unanswered("a writer failed", failed);
    }
  }

  /** Nobody need fear for data because a machine is slow. */
  private static DemoFailure unanswered(String what, ExecutionException failed) {
    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
    return cause instanceof KvException
        ? new DemoFailure(
            what
                + ", which says nothing of its value, only that no answer came, perhaps since this"
                + " machine has too much to do: "
                + cause.getMessage())
        : new DemoFailure(what + ": " + cause);
  }

  /** Reads every counter once more. Only when the writers have ended. */
  void readAll(Duration limit) throws InterruptedException {
    List<CompletableFuture<Void>> reads =
        ask(() -> counters.stream().map(counter -> read(counter)).toList());
    try {
      CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      throw new DemoFailure("a read was not answered within " + limit.toSeconds() + " s");
    } catch (ExecutionException failed) {
      throw unanswered("a counter could not be read", failed);
    }
  }

  Tally tally() {
    return ask(
        () ->
            new Tally(
                counters.stream().mapToLong(Counter::acknowledgements).sum(),
                counters.stream().mapToLong(Counter::unknowns).sum(),
                verdicts));
  }

  private void write(Counter counter, CompletableFuture<Void> end) {
    if (stopping) {
      end.complete(null);
      return;
    }
    long value = counter.next();
    var unused =
        client
            .put(counter.key(), Counter.encode(value))
            .whenCompleteAsync(
                (done, thrown) -> {
                  if (thrown == null) {
                    counter.acknowledged(value);
                    succeeded();
                    readThenWrite(counter, value, end);
                  } else if (Causes.of(thrown) instanceof KvException.OutcomeUnknown) {
                    counter.unknown(value);
                    later(counter, end);
                  } else if (Causes.of(thrown) instanceof KvException.Unavailable) {
                    later(counter, end);
                  } else {
                    end.completeExceptionally(Causes.of(thrown));
                  }
                },
                executor);
  }

  private void readThenWrite(Counter counter, long value, CompletableFuture<Void> end) {
    if (value % READ_EVERY != 0) {
      write(counter, end);
      return;
    }
    var unused =
        read(counter)
            .whenComplete(
                (done, thrown) -> {
                  if (thrown == null || Causes.of(thrown) instanceof KvException.Unavailable) {
                    // A read that found no leader tells nothing, and so proves nothing wrong.
                    write(counter, end);
                  } else if (Causes.of(thrown) instanceof KvException.OutcomeUnknown) {
                    write(counter, end);
                  } else {
                    end.completeExceptionally(Causes.of(thrown));
                  }
                });
  }

  /** Judges on the load's own thread; fails as the read fails. */
  private CompletableFuture<Void> read(Counter counter) {
    return client
        .get(counter.key())
        .thenAcceptAsync(
            result -> verdicts.merge(counter.judge(result.value()), 1L, Long::sum), executor);
  }

  private void later(Counter counter, CompletableFuture<Void> end) {
    var unused = executor.schedule(() -> write(counter, end), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void succeeded() {
    long now = clock.nanoTime();
    successes++;
    if (marked && lastSuccess != NEVER) {
      longestGapNanos = Math.max(longestGapNanos, now - lastSuccess);
    }
    lastSuccess = now;
  }

  private <T> T ask(Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, executor).join();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
