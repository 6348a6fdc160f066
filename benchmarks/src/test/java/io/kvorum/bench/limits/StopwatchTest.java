package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What counts, and what does not. */
class StopwatchTest {
  @Test
  void whatEndsWhileItWarmsUpDoesNotCount() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    // The clock is read once after each step: 5 of them warm up, 10 are measured.
    Stopwatch stopwatch = new Stopwatch(new ManualClock(1), 5, 10);

    Figure figure =
        stopwatch.measure(
            "x",
            3,
            measurement -> {
              measurement.ended(7, 3);
              steps.incrementAndGet();
              return 2;
            });

    assertThat(steps).hasValue(15);
    assertThat(figure.operations()).isEqualTo(30);
    assertThat(figure.batches()).isEqualTo(20);
    assertThat(figure.p50Nanos()).isEqualTo(7);
    // From the begin to the end the clock is read 12 times in between.
    assertThat(figure.nanos()).isEqualTo(12);
  }
}
