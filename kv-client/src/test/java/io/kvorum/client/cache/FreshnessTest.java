package io.kvorum.client.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.KvException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who waits for a revision, and how often the watch is asked for it. */
class FreshnessTest {
  private final ManualClock clock = new ManualClock();
  private int asked;
  private final Freshness freshness =
      new Freshness("the copy", CacheOptions.DEFAULT.withClock(clock), () -> asked++);

  private static KvException failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    return (KvException) future.handle((value, why) -> why).join();
  }

  @Test
  void whatIsKnownAlreadyNeedsNoQuestion() {
    freshness.heard(5);
    assertThat(freshness.await(5)).isCompletedWithValue(5L);
    assertThat(asked).isZero();
    assertThat(clock.isQuiet()).isTrue();
    freshness.heard(3);
    assertThat(freshness.revision()).as("never goes back").isEqualTo(5);
  }

  @Test
  void allWhoWaitShareAQuestionAndGoOnInTheirOrder() {
    freshness.heard(5);
    CompletableFuture<Long> nine = freshness.await(9);
    CompletableFuture<Long> seven = freshness.await(7);
    assertThat(asked).isEqualTo(1);
    assertThat(freshness.behind()).isEqualTo(4);
    freshness.heard(7);
    assertThat(seven).isCompletedWithValue(7L);
    assertThat(nine).isNotDone();
    assertThat(asked).as("it has moved: asking again is worth while").isEqualTo(2);
    freshness.heard(12);
    assertThat(nine).isCompletedWithValue(12L);
    assertThat(freshness.behind()).isZero();
    clock.passMillis(60_000);
    assertThat(asked).isEqualTo(2);
    assertThat(clock.isQuiet()).isTrue();
  }

  /** A member that is behind says the same again and again. */
  @Test
  void aMemberThatDoesNotMoveIsAskedSeldom() {
    CompletableFuture<Long> waits = freshness.await(9);
    for (int i = 0; i < 4_000; i++) {
      freshness.heard(4);
      clock.passMillis(1);
    }
    assertThat(waits).isNotDone();
    assertThat(asked).isBetween(8, 16);
    freshness.heard(9);
    assertThat(waits).isCompletedWithValue(9L);
  }

  /** An answer to the question of another may be from before one's own. */
  @Test
  void whoJoinsHasTheWatchAskedAgain() {
    freshness.heard(4);
    CompletableFuture<Long> first = freshness.await(9);
    CompletableFuture<Long> second = freshness.await(9);
    freshness.heard(4);
    assertThat(asked).isEqualTo(2);
    freshness.heard(4);
    assertThat(asked).isEqualTo(2);
    freshness.heard(9);
    assertThat(first).isDone();
    assertThat(second).isDone();
  }

  @Test
  void whoWaitsTooLongHearsHowFarItIs() {
    freshness.heard(4);
    CompletableFuture<Long> waits = freshness.await(9);
    CompletableFuture<Long> givenUp = freshness.await(9);
    givenUp.cancel(false);
    clock.passMillis(4_900);
    assertThat(waits).isNotDone();
    clock.passMillis(700);
    assertThat(failure(waits))
        .isInstanceOf(KvException.Unavailable.class)
        .hasMessageMatching(
            "the copy has come to revision 4 only, 9 was waited for;"
                + " the cluster was heard 5\\d\\d\\d ms ago");
    assertThat(clock.isQuiet()).isTrue();
    assertThat(freshness.age()).isEqualTo(Duration.ofMillis(5_600));
  }

  @Test
  void theEndIsToldToAllOnce() {
    CompletableFuture<Long> waits = freshness.await(9);
    KvException first = new KvException.Unavailable("first");
    freshness.fail(first);
    freshness.fail(new KvException.Unavailable("second"));
    assertThat(failure(waits)).isSameAs(first);
    assertThat(failure(freshness.await(1))).isSameAs(first);
    clock.passMillis(60_000);
    assertThat(clock.isQuiet()).isTrue();
  }
}
