package io.kvorum.simulator;

import io.kvorum.simulator.world.VirtualTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future of a simulated cluster. Whoever waits for it moves the cluster on until it is complete:
 * there is only one thread, and virtual time passes when somebody needs it to. What is derived from
 * it ({@code thenApply} and the like) is driven as well; timeouts are of virtual time, and what
 * would run on the common pool runs in the simulation.
 */
final class DrivenFuture<T> extends CompletableFuture<T> {
  private final Driver driver;

  /** An open future. */
  DrivenFuture(Driver driver) {
    this.driver = driver;
  }

  /** A driven future that ends as the other one does. */
  static <T> DrivenFuture<T> of(CompletableFuture<T> original, Driver driver) {
    DrivenFuture<T> driven = new DrivenFuture<>(driver);
    var unused =
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
    return new DrivenFuture<>(driver);
  }

  /** What is asynchronous without an executor happens soon, in the simulation. */
  @Override
  public Executor defaultExecutor() {
    return task -> driver.after(0, task);
  }

  private void drive() {
    if (!driver.until(this::isDone, Driver.WAIT_MAX.toNanos())) {
      throw new IllegalStateException(
          "still not complete after " + Driver.WAIT_MAX.toMinutes() + " minutes of virtual time");
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

  /** Waits for so long of virtual time. */
  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!driver.until(this::isDone, unit.toNanos(timeout))) {
      throw new TimeoutException("not within " + timeout + " " + unit + " of virtual time");
    }
    return super.get();
  }

  @Override
  public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
    return unlessDone(
        timeout,
        unit,
        () ->
            completeExceptionally(
                new TimeoutException("not within " + timeout + " " + unit + " of virtual time")));
  }

  @Override
  public CompletableFuture<T> completeOnTimeout(@Nullable T value, long timeout, TimeUnit unit) {
    return unlessDone(timeout, unit, () -> complete(value));
  }

  private CompletableFuture<T> unlessDone(long timeout, TimeUnit unit, Runnable end) {
    VirtualTime.Task task = driver.after(unit.toNanos(timeout), end);
    var unused = whenComplete((value, failure) -> task.cancel());
    return this;
  }
}
