package io.kvorum.client.port;

/**
 * The one thread that the client's state belongs to, and its clock.
 *
 * <p>Tasks run one after the other. An exception that leaves a task ends that task only.
 */
public interface Loop {
  /** Monotonic; only differences mean something. Any thread may ask. */
  long nanoTime();

  /**
   * Runs the task on this thread, after what was handed over before. Called on the loop itself, the
   * task still runs before the loop waits for anything. Any thread may call.
   *
   * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
   */
  void execute(Runnable task);

  /** Runs the task on this thread once the delay is over. Only for this thread. */
  Timer schedule(long delayNanos, Runnable task);

  /**
   * Ends the thread and closes its connections; tasks that have not run may never run. Waits until
   * that is done, but not when called on the loop itself. Any thread may call, more than once.
   */
  void close();

  /** A task that waits for its time. */
  interface Timer {
    /** The task will not run, unless it has. Only for the loop's thread. */
    void cancel();
  }
}
