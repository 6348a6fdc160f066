package io.kvorum.client;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the listeners of watches: as many daemon threads as listeners run at once, up to a bound,
 * and none when none does. So a listener that blocks holds up neither futures nor, unless there are
 * very many like it, other watches.
 */
final class ListenerThreads implements Executor {
  private static final int THREADS_MAX = 16;
  private static final int IDLE_SECONDS = 10;

  private final AtomicInteger started = new AtomicInteger();
  private final ThreadPoolExecutor executor =
      new ThreadPoolExecutor(
          THREADS_MAX,
          THREADS_MAX,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          this::newThread);

  ListenerThreads() {
    executor.allowCoreThreadTimeOut(true);
  }

  private Thread newThread(Runnable work) {
    Thread thread = new Thread(work, "kvorum-client-watches-" + started.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  /** Idle threads end now, the others when they have run what was handed over. */
  void close() {
    executor.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
  }
}
