package io.kvorum.client.recipes;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Lets something happen later: all that recipes know of time, besides what their leases say. */
@FunctionalInterface
public interface Timers {
  /** Those of the JDK, which need no thread for each timer; tasks run on the common pool. */
  Timers SYSTEM =
      (delay, task) ->
          CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);

  /** Runs the task once the delay is over, on any thread. It is short and does not block. */
  void after(Duration delay, Runnable task);
}
