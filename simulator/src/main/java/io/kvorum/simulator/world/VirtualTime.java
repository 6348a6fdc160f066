package io.kvorum.simulator.world;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The only clock and the only thread of a world: runs what is due, in order of time, and what is
 * due at the same instant in the order in which it was asked for.
 */
public final class VirtualTime {
  /** Something that is to happen, once. */
  public static final class Task {
    private final long atNanos;
    private final long sequence;
    private @Nullable Runnable body;

    private Task(long atNanos, long sequence, Runnable body) {
      this.atNanos = atNanos;
      this.sequence = sequence;
      this.body = body;
    }

    /** It will not happen, unless it has. */
    public void cancel() {
      body = null;
    }

    private boolean isBefore(Task other) {
      return atNanos < other.atNanos || (atNanos == other.atNanos && sequence < other.sequence);
    }
  }

  /** A binary heap: the children of {@code i} are {@code 2i + 1} and {@code 2i + 2}. */
  private Task[] heap = new Task[256];

  private int size;
  private long nowNanos;
  private long sequence;
  private long steps;

  /** Since the start of the run. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Tasks that have run. */
  public long steps() {
    return steps;
  }

  /** Lets the task happen so long from now; at once means after all that is due now. */
  public Task after(long delayNanos, Runnable body) {
    Task task = new Task(nowNanos + Math.max(0, delayNanos), sequence++, body);
    add(task);
    return task;
  }

  /** Runs the next task, if it is due by then; else stands at that time and says false. */
  public boolean step(long untilNanos) {
    while (size > 0 && heap[0].atNanos <= untilNanos) {
      Task next = removeFirst();
      Runnable body = next.body;
      if (body != null) {
        nowNanos = next.atNanos;
        next.body = null;
        steps++;
        body.run();
        return true;
      }
    }
    nowNanos = Math.max(nowNanos, untilNanos);
    return false;
  }

  private void add(Task task) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (!task.isBefore(heap[parent])) {
        break;
      }
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = task;
  }

  private Task removeFirst() {
    Task first = heap[0];
    Task moved = heap[--size];
    int at = 0;
    int child;
    while ((child = 2 * at + 1) < size) {
      if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
        child++;
      }
      if (!heap[child].isBefore(moved)) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moved;
    return first;
  }
}
