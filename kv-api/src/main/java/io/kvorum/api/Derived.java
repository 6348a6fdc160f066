package io.kvorum.api;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Futures made from others whose failure stays what it was, not wrapped into another one. */
final class Derived {
  private Derived() {}

  static <T, R> CompletableFuture<R> of(CompletableFuture<T> from, Function<T, R> map) {
    CompletableFuture<R> derived = from.newIncompleteFuture();
    var unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                derived.completeExceptionally(failure);
                return;
              }
              try {
                derived.complete(map.apply(value));
              } catch (RuntimeException notMapped) {
                derived.completeExceptionally(notMapped);
              }
            });
    return derived;
  }

  /** The second future ends as the first one does. */
  static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(failure);
              }
            });
  }
}
