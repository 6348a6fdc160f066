package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.simulator.world.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class DrivenFutureTest {
  private final VirtualTime time = new VirtualTime();
  private final List<String> checks = new ArrayList<>();
  private final Driver driver = new Driver(time, () -> checks.add("check"));
  private final CompletableFuture<String> original = new CompletableFuture<>();
  private final DrivenFuture<String> driven = DrivenFuture.of(original, driver);

  private static void broken() {
    throw new AssertionError("one step too far");
  }

  @Test
  void whoWaitsMovesTheWorldOnUntilTheFutureIsComplete() {
    time.after(1, () -> {});
    time.after(2, () -> original.complete("value"));
    time.after(3, DrivenFutureTest::broken);

    assertThat(driven.join()).isEqualTo("value");
    assertThat(time.nowNanos()).isEqualTo(2);
    assertThat(checks).as("once before, once after each step").hasSize(3);
  }

  @Test
  void derivedFuturesAreDrivenToo() {
    time.after(1, () -> original.complete("to"));

    CompletableFuture<String> sum =
        driven
            .thenApply(text -> text + "ge")
            .thenCombine(CompletableFuture.completedFuture("ther"), String::concat);

    assertThat(sum.join()).isEqualTo("together");
  }

  @Test
  void whatIsAsynchronousRunsInTheSimulationToo() {
    time.after(1, () -> original.complete("value"));
    Thread[] ran = new Thread[1];

    driven.thenRunAsync(() -> ran[0] = Thread.currentThread()).join();

    assertThat(ran[0]).isSameAs(Thread.currentThread());
  }

  @Test
  void aFailureComesOutAsItWentIn() {
    time.after(1, () -> original.completeExceptionally(new IllegalArgumentException("no")));

    assertThatThrownBy(driven::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timeoutsAreOfVirtualTime() {
    time.after(TimeUnit.SECONDS.toNanos(5), () -> original.complete("late"));

    assertThatThrownBy(() -> driven.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    assertThat(time.nowNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(2));
    assertThat(driven.copy().completeOnTimeout("early", 1, TimeUnit.SECONDS).join())
        .isEqualTo("early");
    assertThatThrownBy(() -> driven.copy().orTimeout(1, TimeUnit.SECONDS).get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
    assertThat(driven.orTimeout(2, TimeUnit.SECONDS).join()).isEqualTo("late");
  }

  @Test
  void waitingForWhatNeverHappensIsAnErrorNotAHang() {
    assertThatThrownBy(driven::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("still not complete");
  }

  @Test
  void whoIsMovedCannotMoveOthers() {
    time.after(1, () -> original.complete("value"));
    CompletableFuture<String> waits =
        driven.thenApply(value -> new DrivenFuture<String>(driver).join());

    assertThatThrownBy(waits::join)
        .hasRootCauseMessage(
            "a callback or a task of after() must not wait; go on in a callback of the future");
  }

  @Test
  void anotherThreadIsTurnedAway() throws InterruptedException {
    List<Throwable> thrown = new ArrayList<>();
    Thread other = new Thread(driven::join, "stranger");
    other.setUncaughtExceptionHandler((thread, failure) -> thrown.add(failure));
    other.start();
    other.join();

    assertThat(thrown).hasSize(1);
    assertThat(thrown.get(0)).hasMessageContaining("it is used from stranger");
  }
}
