package io.kvorum.cli.demo;

import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Waits for something that only asking tells, and not for ever. */
final class Waiting {
  private static final long POLL_MILLIS = 20;

  /** On a machine that is slow, whoever looks on shall see that it is no worse than that. */
  private static final Duration NEWS_AFTER = Duration.ofSeconds(15);

  private final Clock clock;
  private final Consumer<String> news;
  private long told;

  /**
   * @param news told now and then what is waited for
   */
  Waiting(Clock clock, Consumer<String> news) {
    this.clock = clock;
    this.news = news;
  }

  /**
   * Returns when the condition holds.
   *
   * @param what completes the sentence "waited 30 s in vain until …"
   * @throws DemoFailure when the limit is over
   */
  void until(String what, Duration limit, BooleanSupplier condition) throws InterruptedException {
    long start = begin();
    while (!condition.getAsBoolean()) {
      long now = clock.nanoTime();
      if (now - start >= limit.toNanos()) {
        throw new DemoFailure("waited " + limit.toSeconds() + " s in vain until " + what);
      }
      tell(() -> "waits until " + what + ", for " + (now - start) / 1_000_000_000 + " s by now");
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Something begins, of which there will be news if it takes long; returns the time. */
  synchronized long begin() {
    told = clock.nanoTime();
    return told;
  }

  /** Tells that unless something was told just before. On any thread. */
  synchronized void tell(Supplier<String> what) {
    long now = clock.nanoTime();
    if (now - told >= NEWS_AFTER.toNanos()) {
      told = now;
      news.accept(what.get());
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
