package io.kvorum.client;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Completes futures on one daemon thread, which starts when needed and ends when idle. */
final class CallbackThread implements Executor {
  private static final int IDLE_SECONDS = 10;

  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(
          1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::newThread);

  private volatile @Nullable Thread thread;

  CallbackThread() {
    executor.allowCoreThreadTimeOut(true);
  }

  private Thread newThread(Runnable work) {
    Thread started = new Thread(work, "kvorum-client-callbacks");
    started.setDaemon(true);
    thread = started;
    return started;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  /** Whether this is the thread. */
  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /** Runs what was handed over, then ends the thread. Waits up to a second, except for itself. */
  void close() {
    executor.shutdown();
    if (isCurrent()) {
      return;
    }
    try {
      boolean done = executor.awaitTermination(1, TimeUnit.SECONDS);
      Thread ending = thread;
      if (done && ending != null) {
        // The executor says so a moment before the thread is gone.
        ending.join(TimeUnit.SECONDS.toMillis(1));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
