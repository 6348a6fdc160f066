package io.kvorum.node;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A lane that is a daemon thread of its own. */
public final class ThreadLane implements Lane, AutoCloseable {
  private static final long CLOSE_SECONDS_MAX = 30;

  private final ThreadPoolExecutor thread;

  /**
   * A lane on a new thread.
   *
   * @param name of the thread
   */
  public ThreadLane(String name) {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread created = new Thread(task, name);
              created.setDaemon(true);
              return created;
            },
            new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Runs what is queued, then ends the thread; waits for at most 30 seconds. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a lane did not end within " + CLOSE_SECONDS_MAX + " s");
      }
    } catch (InterruptedException interrupted) {
      // The caller does not want to wait any longer; the thread ends by itself when it is done.
      Thread.currentThread().interrupt();
    }
  }
}
