package io.kvorum.node.netty;

import io.kvorum.node.Loop;
import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Netty event loop as the lane of a node: its sockets and its core share one thread, so a message
 * reaches the core without a hop.
 */
public final class EventLoopLane implements Loop {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopLane.class);

  private final EventLoop eventLoop;
  private final Consumer<Throwable> failed;

  /**
   * The lane of this event loop.
   *
   * @param failed told, on the loop, what a task threw. Netty itself would only log it and go on
   *     with state that may be half changed (FAULTS F160)
   */
  public EventLoopLane(EventLoop eventLoop, Consumer<Throwable> failed) {
    this.eventLoop = eventLoop;
    this.failed = failed;
  }

  @Override
  public void execute(Runnable task) {
    if (isEnding()) {
      return;
    }
    try {
      eventLoop.execute(() -> run(task));
    } catch (RejectedExecutionException ended) {
      LOG.debug("The loop has ended; a task is dropped");
    }
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    if (isEnding()) {
      return;
    }
    try {
      var unused = eventLoop.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException ended) {
      LOG.debug("The loop has ended; a timer is dropped");
    }
  }

  /**
   * Netty runs its queue empty before it ends: a task that queues the next one would hold it up.
   */
  private boolean isEnding() {
    return eventLoop.isShuttingDown();
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable failure) {
      // The main loop of the thread ends here, as far as it is ours; its owner stops the node.
      failed.accept(failure);
    }
  }
}
