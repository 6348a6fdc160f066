package io.kvorum.node.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** What bounds attempts, log lines and settings. */
final class LimitsTest {
  private static final class HandClock implements Clock {
    long nanos = Long.MAX_VALUE - WarnLimit.PAUSE_NANOS / 2;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }

  @Test
  void aWarningOfEachKindComesOncePerMinuteAlsoWhenTheClockWraps() {
    HandClock clock = new HandClock();
    WarnLimit limit = new WarnLimit(clock);
    assertThat(limit.allows("a")).isTrue();
    assertThat(limit.allows("a")).isFalse();
    assertThat(limit.allows("b")).isTrue();
    clock.nanos += WarnLimit.PAUSE_NANOS - 1;
    assertThat(limit.allows("a")).isFalse();
    clock.nanos += 1;
    assertThat(limit.allows("a")).isTrue();
    assertThat(limit.allows("b")).isTrue();
    assertThat(limit.allows("b")).isFalse();
  }

  @Test
  void noMoreThanSoManyKindsAreRememberedAndTheRestIsSilent() {
    HandClock clock = new HandClock();
    WarnLimit limit = new WarnLimit(clock);
    for (int i = 0; i < WarnLimit.KINDS_MAX; i++) {
      assertThat(limit.allows("host " + i)).isTrue();
    }
    assertThat(limit.allows("one more")).isFalse();
    clock.nanos += WarnLimit.PAUSE_NANOS;
    assertThat(limit.allows("one more")).isTrue();
  }

  @Test
  void attemptsComeHalfAsOftenEachTimeUpToOncePerSecond() {
    Backoff backoff = new Backoff(RandomGeneratorFactory.of("L64X128MixRandom").create(1));
    for (int round = 0; round < 2; round++) {
      long limit = 20_000_000;
      for (int i = 0; i < 20; i++) {
        assertThat(backoff.nextNanos()).isGreaterThan(limit / 2).isLessThanOrEqualTo(limit);
        limit = Math.min(2 * limit, 1_000_000_000);
      }
      backoff.reset();
    }
  }

  @Test
  void twoNodesDoNotComeBackAtOneMoment() {
    Backoff one = new Backoff(RandomGeneratorFactory.of("L64X128MixRandom").create(1));
    Backoff other = new Backoff(RandomGeneratorFactory.of("L64X128MixRandom").create(2));
    assertThat(one.nextNanos()).isNotEqualTo(other.nextNanos());
  }

  @Test
  void optionsNameTheRuleTheyBreak() {
    TransportOptions options = TransportOptions.DEFAULT;
    assertThatThrownBy(() -> options.withFrameBytesMax(100)).hasMessageContaining("frameBytesMax");
    assertThatThrownBy(() -> options.withQueueBytesMax(1)).hasMessageContaining("queueBytesMax");
    assertThatThrownBy(() -> options.withQueueMessagesMax(0))
        .hasMessageContaining("queueMessagesMax");
    assertThatThrownBy(() -> options.withAcceptedMax(0)).hasMessageContaining("acceptedMax");
    assertThatThrownBy(() -> options.withHelloTimeout(Duration.ZERO))
        .hasMessageContaining("helloTimeout");
    assertThat(options.withGroup(5).withQueueBytesMax(10))
        .isEqualTo(
            new TransportOptions(
                5, options.frameBytesMax(), 10, 1_024, 1_024, Duration.ofSeconds(5)));
  }
}
