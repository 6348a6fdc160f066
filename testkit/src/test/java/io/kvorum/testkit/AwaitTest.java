package io.kvorum.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void returnsOnceTheConditionHolds() {
    AtomicInteger asked = new AtomicInteger();

    Await.until("the third time", LONG, () -> asked.incrementAndGet() == 3);

    assertThat(asked).hasValue(3);
  }

  @Test
  void failsWhenTheBoundHasPassedAndSaysWhatWasSeen() {
    AtomicInteger asked = new AtomicInteger();

    assertThatThrownBy(
            () ->
                Await.until(
                    "a leader",
                    Duration.ofMillis(30),
                    () -> asked.incrementAndGet() < 0,
                    () -> "three followers"))
        .isInstanceOf(AssertionError.class)
        .hasMessage("waited 30 ms for a leader; seen instead: three followers");
    assertThat(asked).hasValueGreaterThan(2);
  }

  @Test
  void aConditionThatHoldsAtOnceNeedsNoTime() {
    Await.until("nothing", Duration.ZERO, () -> true);
  }

  @Test
  void aBrokenConditionIsNotAskedAgain() {
    AtomicInteger asked = new AtomicInteger();

    assertThatThrownBy(
            () ->
                Await.until(
                    "the file",
                    LONG,
                    () -> {
                      asked.incrementAndGet();
                      throw new IOException("gone");
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessage("could not ask for the file")
        .hasRootCauseMessage("gone");
    assertThat(asked).hasValue(1);
  }

  @Test
  void anInterruptEndsTheWaitAndStaysVisible() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> Await.until("a leader", LONG, () -> false))
        .hasMessage("interrupted while waiting for a leader");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void givesTheFirstValueThatIsNotNull() {
    AtomicInteger asked = new AtomicInteger();

    String value = Await.value("a name", LONG, () -> asked.incrementAndGet() < 3 ? null : "n1");

    assertThat(value).isEqualTo("n1");
  }
}
