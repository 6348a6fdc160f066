package io.kvorum.node;

/** The lane that owns the Raft core and the sockets, and keeps time. */
public interface Loop extends Lane {
  /** Queues a task to run once, not before {@code delayNanos} from now. */
  void schedule(Runnable task, long delayNanos);
}
