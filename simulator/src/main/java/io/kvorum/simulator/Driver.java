package io.kvorum.simulator;

import io.kvorum.simulator.world.VirtualTime;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Moves the virtual time of a simulation on, for the one thread of the test that waits. */
final class Driver {
  /** Longer than any call takes: whoever waits longer waits for what never comes. */
  static final Duration WAIT_MAX = Duration.ofMinutes(10);

  private final VirtualTime time;
  private final Runnable check;
  private final Thread owner = Thread.currentThread();
  private boolean moves;

  /**
   * For the present thread.
   *
   * @param check runs after every step; what it throws reaches whoever waits
   */
  Driver(VirtualTime time, Runnable check) {
    this.time = time;
    this.check = check;
  }

  /** Two threads would run in an order that no seed decides. */
  void requireOwner() {
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "a simulated cluster belongs to the thread that has started it, "
              + owner.getName()
              + "; it is used from "
              + Thread.currentThread().getName());
    }
  }

  /**
   * Moves on until the condition holds, for at most so long of virtual time; says whether it holds.
   *
   * @throws IllegalStateException from within the simulation: who is moved cannot move others
   */
  boolean until(BooleanSupplier condition, long nanosMax) {
    requireOwner();
    if (condition.getAsBoolean()) {
      return true;
    }
    if (moves) {
      throw new IllegalStateException(
          "a callback or a task of after() must not wait; go on in a callback of the future");
    }
    long end = time.nowNanos() + nanosMax;
    moves = true;
    try {
      check.run();
      while (!condition.getAsBoolean()) {
        if (!time.step(end)) {
          return condition.getAsBoolean();
        }
        check.run();
      }
      return true;
    } finally {
      moves = false;
    }
  }

  /** Lets the task happen at that time, if somebody moves on so far. */
  VirtualTime.Task after(long delayNanos, Runnable task) {
    requireOwner();
    return time.after(delayNanos, task);
  }
}
