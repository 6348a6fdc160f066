package io.kvorum.bench.load;

import io.kvorum.node.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets a client call again and again. Between two calls it is on the thread on which the first has
 * ended; no two threads are in it at once.
 */
final class ClientLoop {
  /** After a failure, so that a system in trouble is not asked in a tight loop. */
  private static final long PAUSE_MILLIS = 20;

  private static final Executor LATER =
      CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS);

  private final LoadClient client;
  private final Measurement measurement;
  private final Clock clock;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile boolean stopping;

  ClientLoop(LoadClient client, Measurement measurement, Clock clock) {
    this.client = client;
    this.measurement = measurement;
    this.clock = clock;
  }

  /** Makes the first call, not on this thread: a client that answers at once would keep it. */
  void start() {
    CompletableFuture.runAsync(this::next).exceptionally(this::bug);
  }

  private @Nullable Void bug(Throwable bug) {
    end.completeExceptionally(bug);
    return null;
  }

  /** Lets it end with the call that is under way; completes when that has ended. */
  CompletableFuture<Void> stop() {
    stopping = true;
    return end;
  }

  boolean hasEnded() {
    return end.isDone();
  }

  private void next() {
    while (!stopping) {
      long calledAt = clock.nanoTime();
      CompletableFuture<?> call = call();
      if (!call.isDone()) {
        var unused = call.whenComplete((done, thrown) -> goOn(calledAt, thrown));
        return;
      }
      // What has ended already is not chained: the stack would grow with each call.
      if (call.isCompletedExceptionally()) {
        goOn(calledAt, call.handle((done, thrown) -> thrown).join());
        return;
      }
      measurement.ended(clock.nanoTime() - calledAt);
    }
    end.complete(null);
  }

  private void goOn(long calledAt, @Nullable Throwable thrown) {
    if (thrown == null) {
      measurement.ended(clock.nanoTime() - calledAt);
      next();
    } else {
      Failures.report(thrown);
      measurement.failed();
      LATER.execute(this::next);
    }
  }

  /** A client may refuse a call at once. */
  private CompletableFuture<?> call() {
    try {
      return client.call();
    } catch (RuntimeException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }
}
