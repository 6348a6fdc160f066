package io.kvorum.node;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Where the log lane and the apply lane leave word for the loop, which is woken once for all that
 * has come until it looks.
 */
final class LaneReports<R> {
  private final Loop loop;
  private final Runnable onDurable;
  private final Runnable onApplied;
  private final AtomicLong durableSequence = new AtomicLong();
  private final AtomicBoolean durableQueued = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Applier.Applied<R>> applied = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean appliedQueued = new AtomicBoolean();

  /**
   * Reports.
   *
   * @param onDurable runs on the loop, and asks for {@link #takeDurable}
   * @param onApplied runs on the loop, and asks for {@link #nextApplied} until there is none
   */
  LaneReports(Loop loop, Runnable onDurable, Runnable onApplied) {
    this.loop = loop;
    this.onDurable = onDurable;
    this.onApplied = onApplied;
  }

  /** On the log lane: writes up to this one are durable. */
  void durable(long sequence) {
    durableSequence.set(sequence);
    if (durableQueued.compareAndSet(false, true)) {
      loop.execute(onDurable);
    }
  }

  /** On the apply lane. */
  void applied(Applier.Applied<R> batch) {
    applied.add(batch);
    if (appliedQueued.compareAndSet(false, true)) {
      loop.execute(onApplied);
    }
  }

  /** On the loop: the newest of all that was reported. */
  long takeDurable() {
    durableQueued.set(false);
    return durableSequence.get();
  }

  /** On the loop, before the first {@link #nextApplied}: what is reported from now on wakes it. */
  void takeApplied() {
    appliedQueued.set(false);
  }

  Applier.@Nullable Applied<R> nextApplied() {
    return applied.poll();
  }
}
