package io.kvorum.client.recipes;

import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands before a resource that one holder of a lock at a time may use, and lets nobody in who
 * shows an older token than somebody before: a holder that has lost the lock without knowing it.
 * For a resource outside Kvorum; inside, {@link Held#guard} does the same in a transaction.
 *
 * <p>It protects what goes through it, in one process. Where the resource outlives the process, the
 * highest token has to, too: keep it with the resource, and give it to the next guard. Tokens of
 * different locks must not meet at one guard.
 *
 * <p>Thread-safe. Actions run one at a time, so that none of an older token is under way when the
 * first of a newer one begins.
 */
public final class FencingGuard {
  private final LongConsumer keep;

  /** Guards what follows, and the resource. */
  private final Object lock = new Object();

  private long highest;

  /** A guard that has seen no token, and remembers none beyond its own life. */
  public FencingGuard() {
    this(0, token -> {});
  }

  /**
   * A guard that goes on where another one has stopped.
   *
   * @param highest the highest token that was ever accepted; 0: none
   * @param keep writes a new highest token down, durably, before anything happens under it; what it
   *     throws refuses the token
   */
  public FencingGuard(long highest, LongConsumer keep) {
    if (highest < 0) {
      throw new IllegalArgumentException("a token is at least 0, not " + highest);
    }
    this.highest = highest;
    this.keep = keep;
  }

  /** Says that a token is older than one that was accepted before. */
  public static final class StaleTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long token;
    private final long highest;

    StaleTokenException(long token, long highest) {
      super("token " + token + " is older than " + highest + ": somebody else holds the lock now");
      this.token = token;
      this.highest = highest;
    }

    /** What was refused. */
    public long token() {
      return token;
    }

    /** The highest token so far. */
    public long highest() {
      return highest;
    }
  }

  /**
   * Accepts the token, and from then on none that is older.
   *
   * @throws StaleTokenException if a newer one was accepted before
   */
  public void check(long token) {
    run(token, () -> {});
  }

  /** As {@link #call}. */
  public void run(long token, Runnable action) {
    var unused =
        call(
            token,
            () -> {
              action.run();
              return null;
            });
  }

  /**
   * Does something under the token, and lets nobody else in meanwhile.
   *
   * @return what the action returns
   * @throws StaleTokenException if a newer one was accepted before; then the action does not run
   */
  public <T extends @Nullable Object> T call(long token, Supplier<T> action) {
    synchronized (lock) {
      if (token < highest) {
        throw new StaleTokenException(token, highest);
      }
      if (token > highest) {
        keep.accept(token);
        highest = token;
      }
      return action.get();
    }
  }

  /** The highest token that was accepted; 0: none. */
  public long highest() {
    synchronized (lock) {
      return highest;
    }
  }
}
