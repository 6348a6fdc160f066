package io.kvorum.server.store;

import io.kvorum.raft.InvariantViolation;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who is inside a resource, so that it is given back only when nobody is (FAULTS F157).
 * Thread-safe.
 */
public final class Readers {
  private static final long CLOSED = 1L << 62;

  private final AtomicLong state = new AtomicLong();
  private final CountDownLatch released = new CountDownLatch(1);
  private final Runnable release;
  private final String what;
  private volatile boolean isReplaced;

  /**
   * @param what names the resource in messages
   * @param release gives the resource back; runs once, on the thread that closes or on that of the
   *     last reader
   */
  public Readers(String what, Runnable release) {
    this.what = what;
    this.release = release;
  }

  /**
   * Enters; {@link #leave()} must follow.
   *
   * @throws IllegalStateException if closed; a {@link StateReplacedException} if retired
   */
  public void enter() {
    if (!tryEnter()) {
      throw closed();
    }
  }

  /** As {@link #enter()}, unless it is closed; says whether. */
  public boolean tryEnter() {
    while (true) {
      long inside = state.get();
      if ((inside & CLOSED) != 0) {
        return false;
      }
      if (state.compareAndSet(inside, inside + 1)) {
        return true;
      }
    }
  }

  /** Leaves; the last one out of a closed resource gives it back. */
  public void leave() {
    long inside = state.decrementAndGet();
    InvariantViolation.check((inside & ~CLOSED) >= 0 && inside >= 0, "who leaves has entered");
    if (inside == CLOSED) {
      releaseNow();
    }
  }

  /**
   * Says so when the resource is being closed, for those already inside.
   *
   * @throws IllegalStateException if closed; a {@link StateReplacedException} if retired
   */
  public void checkOpen() {
    if ((state.get() & CLOSED) != 0) {
      throw closed();
    }
  }

  private IllegalStateException closed() {
    return isReplaced
        ? new StateReplacedException(what)
        : new IllegalStateException(what + " is closed");
  }

  /** Lets nobody in any more; gives the resource back now if nobody is inside. */
  public void close() {
    long before = state.getAndUpdate(inside -> inside | CLOSED);
    if (before == 0) {
      releaseNow();
    }
  }

  /** As {@link #close()}, because another state takes the place of this one. */
  public void retire() {
    isReplaced = true;
    close();
  }

  /**
   * Closes and waits until the last one is out.
   *
   * @throws IllegalStateException if the time is over, or the thread interrupted, before that; the
   *     last one out still gives the resource back
   */
  public void closeAndAwait(Duration atMost) {
    close();
    try {
      if (!released.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException(
            what + ": " + (state.get() & ~CLOSED) + " readers still inside after " + atMost);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(what + ": interrupted while readers are inside", interrupted);
    }
  }

  private void releaseNow() {
    try {
      release.run();
    } finally {
      released.countDown();
    }
  }
}
