package io.kvorum.node;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Virtual time: what is due runs in order, on the one thread that moves it. */
final class TestTime {
  private record Due(long nanos, long number, Runnable task) {}

  private final PriorityQueue<Due> queue =
      new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingLong(Due::number));
  private final SplittableRandom random;
  private long nanos;
  private long number;

  TestTime(SplittableRandom random) {
    this.random = random;
  }

  long nanos() {
    return nanos;
  }

  SplittableRandom random() {
    return random;
  }

  void at(long dueNanos, Runnable task) {
    queue.add(new Due(Math.max(dueNanos, nanos), number++, task));
  }

  /** Runs what is due next; false if nothing ever is. */
  boolean step() {
    Due next = queue.poll();
    if (next == null) {
      return false;
    }
    nanos = next.nanos();
    next.task().run();
    return true;
  }

  /** A lane of one process: its tasks run in order, each a little late, none after its end. */
  final class TestLane implements Loop {
    private long lastNanos;
    private boolean ended;

    @Override
    public void execute(Runnable task) {
      lastNanos = Math.max(lastNanos, nanos + random.nextLong(50_000));
      at(lastNanos, () -> run(task));
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      at(nanos + delayNanos, () -> run(task));
    }

    private void run(Runnable task) {
      if (!ended) {
        task.run();
      }
    }

    void end() {
      ended = true;
    }
  }
}
