package io.kvorum.client.recipes;

import io.kvorum.api.KvClient;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What recipes stand on.
 *
 * @param client of the cluster; whoever made it closes it, after the recipes
 * @param timers for timeouts, and for trying again
 * @param callbacks runs what belongs to the application: callbacks, and what hangs on the futures
 *     of recipes. It may block there; recipes and the client go on meanwhile
 */
public record RecipePorts(KvClient client, Timers timers, Executor callbacks) {
  private static final Logger LOG = LoggerFactory.getLogger(RecipePorts.class);

  /** With the timers of the JDK, and its common pool for callbacks. */
  public static RecipePorts of(KvClient client) {
    return new RecipePorts(client, Timers.SYSTEM, ForkJoinPool.commonPool());
  }

  public RecipePorts withTimers(Timers others) {
    return new RecipePorts(client, others, callbacks);
  }

  public RecipePorts withCallbacks(Executor other) {
    return new RecipePorts(client, timers, other);
  }

  /** Runs what belongs to the application, which cannot hurt us. */
  void tell(Runnable callback) {
    try {
      callbacks.execute(() -> run(callback));
    } catch (RejectedExecutionException shutDown) {
      // Its futures must still end, and what it holds must still be let go.
      LOG.warn("the executor for callbacks refuses work; using the common pool", shutDown);
      ForkJoinPool.commonPool().execute(() -> run(callback));
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private static void run(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable bugOfTheCallback) {
      // It is the application's, and must not stop the recipes of others.
      LOG.error("a callback of a recipe failed", bugOfTheCallback);
    }
  }
}
