package io.kvorum.server.simulated;

import io.kvorum.node.Clock;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * The only clock and the only thread of a simulated cluster: runs what is due, in order of time.
 */
final class VirtualTime implements Clock {
  private record Task(long atNanos, long order, Runnable body) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return atNanos != other.atNanos
          ? Long.compare(atNanos, other.atNanos)
          : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private final RandomGenerator random;
  private long nowNanos;
  private long order;

  VirtualTime(RandomGenerator random) {
    this.random = random;
  }

  long nowNanos() {
    return nowNanos;
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public long wallTimeMillis() {
    return nowNanos / 1_000_000;
  }

  RandomGenerator random() {
    return random;
  }

  void schedule(long delayNanos, Runnable body) {
    tasks.add(new Task(nowNanos + delayNanos, order++, body));
  }

  /** Runs until the condition holds, for at most this much virtual time; says whether it holds. */
  boolean runUntil(BooleanSupplier condition, long nanosMax) {
    long end = nowNanos + nanosMax;
    while (!condition.getAsBoolean()) {
      Task next = tasks.peek();
      if (next == null || next.atNanos > end) {
        nowNanos = end;
        return condition.getAsBoolean();
      }
      tasks.remove();
      nowNanos = next.atNanos;
      next.body.run();
    }
    return true;
  }
}
