package io.kvorum.client;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what is for the application on the executor that it named. If the application has shut that
 * down before the client, its futures must still end and its listeners still hear: then the common
 * pool runs it.
 *
 * @param executor that of the application, or one of the client's own
 */
record LastingExecutor(Executor executor) implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(LastingExecutor.class);

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException shutDown) {
      LOG.warn("the executor for callbacks refuses work; using the common pool", shutDown);
      ForkJoinPool.commonPool().execute(task);
    }
  }
}
