package io.kvorum.simulator.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class DrivenFutureTest {
  private final ArrayDeque<Runnable> world = new ArrayDeque<>();
  private final BooleanSupplier step =
      () -> {
        Runnable next = world.poll();
        if (next != null) {
          next.run();
        }
        return next != null;
      };

  @Test
  void whoWaitsMovesTheWorldOnUntilTheFutureIsComplete() {
    CompletableFuture<String> original = new CompletableFuture<>();
    world.add(() -> {});
    world.add(() -> original.complete("value"));
    world.add(() -> original.completeExceptionally(new AssertionError("one step too far")));
    assertThat(DrivenFuture.of(original, step).join()).isEqualTo("value");
    assertThat(world).hasSize(1);
  }

  @Test
  void derivedFuturesAreDrivenToo() {
    CompletableFuture<Integer> original = new CompletableFuture<>();
    world.add(() -> original.complete(20));
    CompletableFuture<Integer> sum =
        DrivenFuture.of(original, step).thenApply(n -> n + 1).thenCombine(
            DrivenFuture.of(CompletableFuture.completedFuture(21), step), Integer::sum);
    assertThat(sum.join()).isEqualTo(42);
  }

  @Test
  void aFailureComesOutAsItWentIn() {
    CompletableFuture<String> original = new CompletableFuture<>();
    world.add(() -> original.completeExceptionally(new IllegalArgumentException("no")));
    assertThatThrownBy(() -> DrivenFuture.of(original, step).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void waitingForWhatNeverHappensIsAnErrorNotAHang() {
    assertThatThrownBy(() -> DrivenFuture.of(new CompletableFuture<>(), step).join())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("never happens");
  }
}
