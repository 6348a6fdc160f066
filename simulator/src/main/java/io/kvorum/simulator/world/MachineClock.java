package io.kvorum.simulator.world;

import io.kvorum.node.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The clocks of one machine, and the timers that follow the monotonic one. It may run fast or slow
 * and jump forward; the wall clock may jump either way.
 */
public final class MachineClock implements Clock {
  private static final long MILLION = 1_000_000;
  private static final long WALL_START_MILLIS = 1_750_000_000_000L;

  private final VirtualTime time;
  private final Set<Timer> timers = new LinkedHashSet<>();
  private long anchorNanos;
  private long anchorVirtualNanos;
  private int driftPpm;
  private long wallOffsetMillis;

  /** A clock that begins at some value, as monotonic ones do. */
  public MachineClock(VirtualTime time, long startNanos) {
    this.time = time;
    this.anchorNanos = startNanos;
  }

  @Override
  public long nanoTime() {
    long virtual = time.nowNanos() - anchorVirtualNanos;
    return anchorNanos + virtual + scale(virtual, driftPpm, MILLION);
  }

  @Override
  public long wallTimeMillis() {
    return WALL_START_MILLIS + wallOffsetMillis + time.nowNanos() / MILLION;
  }

  /** {@code nanos × factor / divisor}, which does not overflow for what a run lasts. */
  private static long scale(long nanos, long factor, long divisor) {
    return nanos / divisor * factor + nanos % divisor * factor / divisor;
  }

  /** A timer of this machine. */
  final class Timer {
    private final long dueNanos;
    private final Runnable body;
    private VirtualTime.Task task;

    private Timer(long dueNanos, Runnable body) {
      this.dueNanos = dueNanos;
      this.body = body;
      this.task = arm();
    }

    private VirtualTime.Task arm() {
      long left = dueNanos - nanoTime();
      return time.after(scale(left, MILLION, MILLION + driftPpm), this::fire);
    }

    private void rearm() {
      task.cancel();
      task = arm();
    }

    private void fire() {
      if (dueNanos - nanoTime() > MILLION) {
        // Rounding alone is below a millisecond: more is missing only if this were a bug.
        throw new AssertionError("a timer fires early");
      }
      timers.remove(this);
      body.run();
    }

    void cancel() {
      task.cancel();
      timers.remove(this);
    }
  }

  Timer schedule(long delayNanos, Runnable body) {
    Timer timer = new Timer(nanoTime() + Math.max(0, delayNanos), body);
    timers.add(timer);
    return timer;
  }

  /** The process is gone, and its timers with it. */
  void dropTimers() {
    timers.forEach(timer -> timer.task.cancel());
    timers.clear();
  }

  /** From now on it gains so much, or loses. */
  void drift(int partsPerMillion) {
    anchorNanos = nanoTime();
    anchorVirtualNanos = time.nowNanos();
    driftPpm = partsPerMillion;
    rearmAll();
  }

  /** It jumps forward; what is due in between is due at once. */
  void jump(long nanos) {
    anchorNanos += nanos;
    rearmAll();
  }

  private void rearmAll() {
    new ArrayList<>(timers).forEach(Timer::rearm);
  }

  void jumpWall(long millis) {
    wallOffsetMillis += millis;
  }
}
