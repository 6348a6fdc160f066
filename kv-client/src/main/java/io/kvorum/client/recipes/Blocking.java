package io.kvorum.client.recipes;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for what recipes promise, for those who have a thread to wait with. */
public final class Blocking {
  private Blocking() {}

  /**
   * Waits for the result. An interrupt cancels the future, by which most recipes give up what was
   * asked for, and leaves the thread's interrupt status set.
   *
   * @throws io.kvorum.api.KvException or {@link OwnershipLostException}: what the future failed
   *     with, as it is
   * @throws java.util.concurrent.CancellationException if it was cancelled
   * @throws OwnershipLostException also after an interrupt
   */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException failed) {
      Throwable cause = Failures.cause(failed);
      if (cause instanceof RuntimeException expected) {
        expected.addSuppressed(new Throwable("the call that waited"));
        throw expected;
      }
      throw new IllegalStateException("a recipe failed in an unexpected way", cause);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      future.cancel(false);
      throw new OwnershipLostException("interrupted while waiting; given up");
    }
  }
}
