package io.kvorum.client.cache;

import java.time.Duration;
import java.util.function.LongSupplier;

/** The time that a cache lives in: that of the machine, or of a simulated cluster. */
public interface CacheClock {
  /** The machine's own. */
  static CacheClock system() {
    return new SystemClock();
  }

  /** Another one: {@code of(() -> cluster.now().toNanos(), cluster::after)} in the simulator. */
  static CacheClock of(LongSupplier nanos, Timer timer) {
    return new CacheClock() {
      @Override
      public long nanoTime() {
        return nanos.getAsLong();
      }

      @Override
      public void after(Duration delay, Runnable task) {
        timer.after(delay, task);
      }
    };
  }

  /** Runs tasks later. */
  @FunctionalInterface
  interface Timer {
    void after(Duration delay, Runnable task);
  }

  /** Nanoseconds from an arbitrary moment on; never goes back. */
  long nanoTime();

  /** Runs the task when so much time has passed; on any thread. The task does not block. */
  void after(Duration delay, Runnable task);
}
