package io.kvorum.cli;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Prints what a listener is told, until it was enough or nobody reads it any more. */
final class Told<T> {
  private final long eventsMax;
  private final Consumer<T> print;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();
  private long printed;

  /**
   * Nothing yet.
   *
   * @param eventsMax how much is enough
   */
  Told(long eventsMax, Consumer<T> print) {
    this.eventsMax = eventsMax;
    this.print = print;
  }

  synchronized void tell(T news) {
    if (done.isDone()) {
      return;
    }
    try {
      print.accept(news);
    } catch (RuntimeException notWritten) {
      done.completeExceptionally(notWritten);
    }
    printed++;
    if (printed == eventsMax) {
      done.complete(ExitCode.DONE);
    }
  }

  /** Waits until it was enough; returns the exit code. */
  int await() throws InterruptedException {
    try {
      return done.get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }
}
