package io.kvorum.client.recipes;

import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a call until its outcome is known. Only for calls that may be executed more than once, in
 * any order with what follows: a call of unknown outcome may still be under way, and be executed
 * after a later attempt has been answered.
 */
final class Retry<T> {
  private static final long FIRST_MILLIS = 50;
  private static final long MOST_MILLIS = 1_000;
  private static final int DOUBLINGS_MAX = 5;

  private final RecipePorts ports;
  private final Supplier<CompletableFuture<T>> call;
  private final BooleanSupplier isWanted;
  private final CompletableFuture<T> end = new CompletableFuture<>();
  private int failures;
  private volatile boolean doubtful;

  /**
   * A call that is not made yet.
   *
   * @param isWanted whether to try again; it is asked after every failure
   */
  Retry(RecipePorts ports, Supplier<CompletableFuture<T>> call, BooleanSupplier isWanted) {
    this.ports = ports;
    this.call = call;
    this.isWanted = isWanted;
  }

  /**
   * Begins.
   *
   * @return what the last attempt ended with; a failure is the cause itself
   */
  CompletableFuture<T> start() {
    attempt();
    return end;
  }

  /** Whether an attempt of unknown outcome may still be executed, now or later. */
  boolean isDoubtful() {
    return doubtful;
  }

  private void attempt() {
    var unused = call.get().whenComplete(this::ended);
  }

  private void ended(@Nullable T value, @Nullable Throwable failure) {
    if (failure == null) {
      end.complete(value);
      return;
    }
    Throwable cause = Failures.cause(failure);
    doubtful |= cause instanceof KvException.OutcomeUnknown;
    if (Failures.mayPass(cause) && isWanted.getAsBoolean()) {
      ports.timers().after(pause(cause), () -> again(cause));
    } else {
      end.completeExceptionally(cause);
    }
  }

  private void again(Throwable last) {
    if (isWanted.getAsBoolean()) {
      attempt();
    } else {
      end.completeExceptionally(last);
    }
  }

  /** No chance in it: the client has waited for some by itself, between its own attempts. */
  private Duration pause(Throwable cause) {
    if (cause instanceof KvException.Overloaded overloaded) {
      return overloaded.retryAfter();
    }
    long millis = Math.min(MOST_MILLIS, FIRST_MILLIS << failures);
    failures = Math.min(failures + 1, DOUBLINGS_MAX);
    return Duration.ofMillis(millis);
  }
}
