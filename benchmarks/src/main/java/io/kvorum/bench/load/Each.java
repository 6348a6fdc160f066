package io.kvorum.bench.load;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes a call for each of many things, with a bounded number of them under way. */
final class Each {
  private Each() {}

  /**
   * Returns when all calls have ended well.
   *
   * @throws IllegalStateException if one failed; then no further one is made
   */
  static <T> void call(Iterable<T> things, int most, Function<T, CompletableFuture<?>> call)
      throws InterruptedException {
    Semaphore permits = new Semaphore(most);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    for (T thing : things) {
      permits.acquire();
      if (failure.get() != null) {
        permits.release();
        break;
      }
      var unused =
          call.apply(thing)
              .whenComplete(
                  (done, thrown) -> {
                    if (thrown != null) {
                      failure.compareAndSet(null, Failures.cause(thrown));
                    }
                    permits.release();
                  });
    }
    permits.acquire(most);
    Throwable first = failure.get();
    if (first != null) {
      throw new IllegalStateException(String.valueOf(first.getMessage()), first);
    }
  }
}
