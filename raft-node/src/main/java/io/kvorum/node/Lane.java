package io.kvorum.node;

/**
 * Runs tasks one after another, in the order given: the loop, the log, the apply lane. In
 * production a lane is a thread; the simulator orders lanes at will.
 */
public interface Lane {
  /**
   * Queues a task. May be called from any thread. Tasks given after the lane has ended are dropped.
   */
  void execute(Runnable task);

  /** Queues a task to run once, {@code delayNanos} from now, and not before. */
  void schedule(Runnable task, long delayNanos);
}
