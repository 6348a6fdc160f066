package io.kvorum.client.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The clock of the machine; what is due runs on the common pool. */
final class SystemClock implements CacheClock {
  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void after(Duration delay, Runnable task) {
    CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS).execute(task);
  }
}
