package io.kvorum.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until something is so, with a bound: what tests do in place of sleeping. The condition is
 * asked again after 1 ms, then 2 ms, up to every 20 ms, and once more when the bound has passed.
 */
public final class Await {
  private static final long PAUSE_NANOS_MIN = 1_000_000;
  private static final long PAUSE_NANOS_MAX = 20_000_000;

  private Await() {}

  /** What is waited for; an exception or a failed assertion inside ends the wait as it is. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /**
   * Returns once the condition holds.
   *
   * @param what completes the sentence "waited 5 s for …", such as "a leader"
   * @throws AssertionError when the bound has passed, or the waiting thread is interrupted
   */
  public static void until(String what, Duration bound, Condition condition) {
    until(what, bound, condition, () -> "");
  }

  /**
   * As {@link #until(String, Duration, Condition)}; the failure also shows what was seen instead.
   *
   * @param seen asked once, when the wait has failed
   */
  public static void until(
      String what, Duration bound, Condition condition, Supplier<String> seen) {
    long start = System.nanoTime();
    long pauseNanos = PAUSE_NANOS_MIN;
    while (!holds(what, condition)) {
      if (System.nanoTime() - start >= bound.toNanos()) {
        // The time may have run out while this thread was not scheduled: look a last time.
        if (holds(what, condition)) {
          return;
        }
        throw new AssertionError(message(what, bound, seen.get()));
      }
      pause(what, pauseNanos);
      pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
    }
  }

  /**
   * Returns the first value that the supplier gives and that is not null.
   *
   * @throws AssertionError as {@link #until(String, Duration, Condition)}
   */
  public static <T> T value(String what, Duration bound, Supplier<@Nullable T> supplier) {
    Found<T> found = new Found<>();
    until(what, bound, () -> found.offer(supplier.get()));
    return found.get();
  }

  private static boolean holds(String what, Condition condition) {
    try {
      return condition.holds();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("could not ask for " + what, e);
    }
  }

  private static void pause(String what, long nanos) {
    LockSupport.parkNanos(nanos);
    // An interrupted thread no longer parks: going on would spin until the bound.
    if (Thread.currentThread().isInterrupted()) {
      throw new AssertionError("interrupted while waiting for " + what);
    }
  }

  private static String message(String what, Duration bound, String seen) {
    String time =
        bound.toMillis() < 1000 ? bound.toMillis() + " ms" : bound.toMillis() / 1e3 + " s";
    return "waited " + time + " for " + what + (seen.isEmpty() ? "" : "; seen instead: " + seen);
  }

  /** Holds the value between the condition that finds it and the caller. */
  private static final class Found<T> {
    private @Nullable T value;

    boolean offer(@Nullable T offered) {
      value = offered;
      return offered != null;
    }

    T get() {
      if (value == null) {
        throw new AssertionError("found nothing, though the wait ended well");
      }
      return value;
    }
  }
}
