package io.kvorum.simulator.junit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A future of a simulated cluster. Whoever waits for it moves the cluster on until it is complete:
 * there is only one thread, and virtual time passes when somebody needs it to. What is derived from
 * it ({@code thenApply} and the like) is driven as well.
 */
final class DrivenFuture<T> extends CompletableFuture<T> {
  private final BooleanSupplier step;

  /**
   * An open future.
   *
   * @param step lets the next thing happen; false when nothing will happen any more
   */
  DrivenFuture(BooleanSupplier step) {
    this.step = step;
  }

  /** A driven future that ends as the other one does. */
  static <T> DrivenFuture<T> of(CompletableFuture<T> original, BooleanSupplier step) {
    DrivenFuture<T> driven = new DrivenFuture<>(step);
    original.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            driven.complete(value);
          } else {
            driven.completeExceptionally(failure);
          }
        });
    return driven;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new DrivenFuture<>(step);
  }

  private void drive() {
    while (!isDone()) {
      if (!step.getAsBoolean()) {
        throw new IllegalStateException("waiting for what never happens in this simulation");
      }
    }
  }

  @Override
  public T join() {
    drive();
    return super.join();
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    drive();
    return super.get();
  }

  /** The time is not used: in the simulation, waiting takes none. */
  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    return get();
  }
}
