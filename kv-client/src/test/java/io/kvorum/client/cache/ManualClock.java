package io.kvorum.client.cache;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when the test says so. */
final class ManualClock implements CacheClock {
  private record Task(long dueNanos, long number, Runnable action) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparing(Task::number));
  private long nowNanos = Long.MAX_VALUE - 1_000_000_000L;
  private long number;

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public void after(Duration delay, Runnable task) {
    tasks.add(new Task(delay.toNanos(), number++, task));
  }

  /** Lets time pass; what is due meanwhile happens at its time. */
  void passMillis(long millis) {
    long left = Duration.ofMillis(millis).toNanos();
    while (!tasks.isEmpty() && tasks.element().dueNanos <= left) {
      Task next = tasks.remove();
      left -= next.dueNanos;
      pass(next.dueNanos);
      next.action.run();
    }
    pass(left);
  }

  private void pass(long nanos) {
    nowNanos += nanos;
    for (Task task : tasks.toArray(Task[]::new)) {
      tasks.remove(task);
      tasks.add(new Task(task.dueNanos - nanos, task.number, task.action));
    }
  }

  boolean isQuiet() {
    return tasks.isEmpty();
  }
}
