package io.kvorum.cli.demo;

import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for something that only asking tells, and not for ever. */
final class Waiting {
  private static final long POLL_MILLIS = 20;

  private final Clock clock;

  Waiting(Clock clock) {
    this.clock = clock;
  }

  /**
   * Returns when the condition holds.
   *
   * @param what completes the sentence "waited 30 s in vain until …"
   * @throws DemoFailure when the limit is over
   */
  void until(String what, Duration limit, BooleanSupplier condition) throws InterruptedException {
    long deadline = clock.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (clock.nanoTime() - deadline >= 0) {
        throw new DemoFailure("waited " + limit.toSeconds() + " s in vain until " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Lets time pass while others work. */
  void pass(Duration time) throws InterruptedException {
    long end = clock.nanoTime() + time.toNanos();
    while (clock.nanoTime() - end < 0) {
      Thread.sleep(POLL_MILLIS);
    }
  }
}
