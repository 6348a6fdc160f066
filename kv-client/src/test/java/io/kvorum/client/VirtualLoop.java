package io.kvorum.client;

import io.kvorum.client.port.Loop;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/** A loop on virtual time, run by the test's own thread. Same calls, same order, every time. */
final class VirtualLoop implements Loop {
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::time).thenComparingLong(Task::sequence));
  private long now = Long.MAX_VALUE - 1_000_000;
  private long startedAt = now;
  private long sequence;
  private boolean closed;

  private record Task(long time, long sequence, Runnable work) {}

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the loop is closed");
    }
    add(0, task);
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    Task added = add(Math.max(0, delayNanos), task);
    return () -> tasks.remove(added);
  }

  /** Times count from the start, so that nanoTime may wrap (as the contract of a clock allows). */
  private Task add(long delayNanos, Runnable work) {
    Task task = new Task(now - startedAt + delayNanos, sequence++, work);
    tasks.add(task);
    return task;
  }

  @Override
  public void close() {
    while (!closed && !tasks.isEmpty() && tasks.peek().time <= now - startedAt) {
      tasks.poll().work.run();
    }
    closed = true;
    tasks.clear();
  }

  boolean isClosed() {
    return closed;
  }

  Duration elapsed() {
    return Duration.ofNanos(now - startedAt);
  }

  /** Runs everything that falls into the time, then stands at its end. */
  void runFor(Duration time) {
    runUntil(() -> false, time);
  }

  /** Runs until the condition holds, at most for the time; false if it does not hold then. */
  boolean runUntil(BooleanSupplier condition, Duration atMost) {
    long end = now - startedAt + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      Task next = tasks.peek();
      if (next == null || next.time > end) {
        now = startedAt + end;
        return condition.getAsBoolean();
      }
      tasks.poll();
      now = startedAt + next.time;
      next.work.run();
    }
    return true;
  }
}
