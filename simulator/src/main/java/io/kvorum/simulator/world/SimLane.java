package io.kvorum.simulator.world;

import io.kvorum.node.Loop;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated process: runs its tasks in order, each some time after it was given, none
 * while it is paused, none after the end of its process. How many of the waiting tasks it runs
 * before others get their turn is drawn anew each time.
 */
public final class SimLane implements Loop {
  /** How long a thread takes to wake up, at most, when nothing is wrong. */
  public static final long WAKE_NANOS_MAX = 50_000;

  /** The process that a lane belongs to. */
  public interface Host {
    boolean isAlive();

    /** A task has ended in an exception or error that nobody caught. */
    void uncaught(Throwable failure);

    /** A task has ended. */
    default void stepped(SimLane lane) {}

    /** The lane goes back to sleep. */
    default void slept(SimLane lane) {}
  }

  private final VirtualTime time;
  private final MachineClock clock;
  private final SplittableRandom random;
  private final Host host;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
  private final Runnable wakeUp = this::run;
  private long wakeNanosMax;
  private long pausedUntilNanos;
  private boolean wakes;
  private boolean runs;
  private VirtualTime.@Nullable Task wake;

  public SimLane(
      VirtualTime time, MachineClock clock, SplittableRandom random, Host host, long wakeNanosMax) {
    this.time = time;
    this.clock = clock;
    this.random = random;
    this.host = host;
    this.wakeNanosMax = wakeNanosMax;
  }

  /** From now on a task begins up to so long after it was given. */
  public void slow(long nanosMax) {
    wakeNanosMax = nanosMax;
  }

  /** Runs nothing for so long. */
  public void pause(long nanos) {
    pausedUntilNanos = Math.max(pausedUntilNanos, time.nowNanos() + nanos);
  }

  /** A pause ends now. */
  void resume() {
    if (pausedUntilNanos > time.nowNanos()) {
      pausedUntilNanos = time.nowNanos();
      if (wakes && wake != null) {
        wake.cancel();
        wakeAfter(0);
      }
    }
  }

  @Override
  public void execute(Runnable task) {
    queue.add(task);
    if (!wakes && !runs) {
      wakeAfter(random.nextLong(wakeNanosMax));
    }
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    clock.schedule(delayNanos, () -> arrive(task));
  }

  /** Something comes from outside: a message, a timer. Wakes the thread at once. */
  void arrive(Runnable task) {
    queue.add(task);
    if (!wakes && !runs) {
      run();
    }
  }

  private void wakeAfter(long delayNanos) {
    wakes = true;
    wake = time.after(delayNanos, wakeUp);
  }

  private void run() {
    wakes = false;
    wake = null;
    if (!host.isAlive()) {
      queue.clear();
      return;
    }
    long paused = pausedUntilNanos - time.nowNanos();
    if (paused > 0) {
      wakeAfter(paused);
      return;
    }
    runs = true;
    int most = random.nextInt(4) == 0 ? 1 : queue.size();
    for (int i = 0; i < most && host.isAlive(); i++) {
      runTask(queue.remove());
    }
    runs = false;
    if (host.isAlive()) {
      host.slept(this);
    }
    if (!queue.isEmpty() && !wakes) {
      wakeAfter(random.nextLong(wakeNanosMax));
    }
  }

  private void runTask(Runnable task) {
    try {
      task.run();
    } catch (Throwable failure) {
      // The main loop of a thread ends here; its process has to say what that means.
      host.uncaught(failure);
    }
    host.stepped(this);
  }
}
