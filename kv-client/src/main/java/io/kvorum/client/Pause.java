package io.kvorum.client;

import io.kvorum.client.port.Loop;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Holds everything back for a while when the server has more work than it can hold; longer each
 * time, until it takes something again.
 */
final class Pause {
  private final ClientConfig config;
  private final Loop loop;
  private final RandomGenerator random;
  private final Runnable over;
  private Loop.@Nullable Timer timer;
  private int inARow;

  /**
   * No pause yet.
   *
   * @param over is run after each
   */
  Pause(ClientConfig config, Loop loop, RandomGenerator random, Runnable over) {
    this.config = config;
    this.loop = loop;
    this.random = random;
    this.over = over;
  }

  boolean isOn() {
    return timer != null;
  }

  /** Begins, unless it has begun already. */
  void begin(Duration atLeast) {
    if (timer != null) {
      return;
    }
    inARow = Math.min(inARow + 1, 64);
    long delay = config.backoff().delayNanos(inARow, random);
    // Not longer than a call lives, whatever the server asks for.
    long asked = Math.min(atLeast.toNanos(), config.requestTimeout().toNanos());
    timer = loop.schedule(Math.max(delay, asked), this::ended);
  }

  private void ended() {
    timer = null;
    over.run();
  }

  /** The server has taken something. */
  void succeeded() {
    inARow = 0;
  }

  /** Forever. */
  void cancel() {
    if (timer != null) {
      timer.cancel();
    }
  }
}
