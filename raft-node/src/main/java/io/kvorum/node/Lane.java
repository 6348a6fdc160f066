package io.kvorum.node;

/**
 * Runs tasks one after another, in the order given: the loop, the log lane, the apply lane. In
 * production a lane is a thread; the simulator orders lanes at will.
 */
public interface Lane {
  /** Queues a task. May be called from any thread. A task given after the lane ended is dropped. */
  void execute(Runnable task);
}
