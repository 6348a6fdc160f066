package io.kvorum.client.cache;

import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How far a cache has come, and who waits for it to come further.
 *
 * <p>A watch tells of a revision when something happens in its range. What happens elsewhere makes
 * revisions, too, so whoever waits for one has the watch asked how far it is: at once, again
 * whenever the answer shows that it is worth while, and else after pauses that grow, since the
 * member that serves the watch may be behind for long.
 *
 * <p>Thread-safe. Whoever waits goes on on the thread that brings the news, outside the lock.
 */
final class Freshness {
  private static final Duration PAUSE_MIN = Duration.ofMillis(10);
  private static final Duration PAUSE_MAX = Duration.ofMillis(500);

  /** What asks the cluster where it stands: a read-index round, and no data. */
  private static final Txn NOTHING = Txn.of();

  /** Somebody who waits. */
  private record Waiter(long revision, long deadlineNanos, CompletableFuture<Long> future) {}

  private final String what;
  private final CacheOptions options;
  private final CacheClock clock;
  private final Runnable askProgress;

  /** Guards what follows; what is volatile is written under it and read without. */
  private final Object lock = new Object();

  private final PriorityQueue<Waiter> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Waiter::revision));
  private volatile long revision;
  private volatile long newestKnown;
  private volatile long heardNanos;
  private volatile @Nullable KvException failure;
  private boolean isTicking;
  private boolean isAsked;
  private boolean hasJoined;
  private Duration pause = PAUSE_MIN;

  /**
   * A cache that knows nothing yet.
   *
   * @param what for messages
   * @param askProgress has {@link #heard} called as soon as somebody knows more; never blocks
   */
  Freshness(String what, CacheOptions options, Runnable askProgress) {
    this.what = what;
    this.options = options;
    this.clock = options.clock();
    this.askProgress = askProgress;
    this.heardNanos = clock.nanoTime();
  }

  /** Up to here every change is known. */
  long revision() {
    return revision;
  }

  /** How many revisions more are known to exist. */
  long behind() {
    return Math.max(0, newestKnown - revision);
  }

  /** Since the cluster was heard last. */
  Duration age() {
    return Duration.ofNanos(Math.max(0, clock.nanoTime() - heardNanos));
  }

  /** Why it is over; null while it is not. */
  @Nullable KvException failure() {
    return failure;
  }

  /** The cluster has said that everything up to this revision is known now. */
  void heard(long upTo) {
    List<Waiter> through = new ArrayList<>();
    boolean asks;
    synchronized (lock) {
      heardNanos = clock.nanoTime();
      boolean advances = upTo > revision;
      revision = Math.max(revision, upTo);
      while (!waiting.isEmpty() && waiting.element().revision <= revision) {
        through.add(waiting.remove());
      }
      // A member that has not moved will not have moved a moment later, either.
      asks = !waiting.isEmpty() && (advances || hasJoined);
      isAsked = asks;
      hasJoined = false;
    }
    if (asks) {
      askProgress.run();
    }
    through.forEach(waiter -> waiter.future.complete(revision));
  }

  /**
   * Completes when everything up to that revision is known, with how much is. Fails with {@link
   * KvException.Unavailable} when that takes too long.
   */
  CompletableFuture<Long> await(long wanted) {
    CompletableFuture<Long> future = new CompletableFuture<>();
    boolean asks;
    boolean ticks;
    synchronized (lock) {
      newestKnown = Math.max(newestKnown, wanted);
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      if (revision >= wanted) {
        return CompletableFuture.completedFuture(revision);
      }
      long deadline = clock.nanoTime() + options.timeout().toNanos();
      waiting.add(new Waiter(wanted, deadline, future));
      asks = !isAsked;
      isAsked = true;
      hasJoined = !asks;
      ticks = !isTicking;
      isTicking = true;
      pause = ticks ? PAUSE_MIN : pause;
    }
    if (asks) {
      askProgress.run();
    }
    if (ticks) {
      clock.after(PAUSE_MIN, this::tick);
    }
    return future;
  }

  /** For as long as somebody waits. */
  private void tick() {
    List<Waiter> late = new ArrayList<>();
    boolean goesOn;
    synchronized (lock) {
      long now = clock.nanoTime();
      for (Iterator<Waiter> all = waiting.iterator(); all.hasNext(); ) {
        Waiter waiter = all.next();
        boolean isLate = now - waiter.deadlineNanos >= 0;
        if (isLate || waiter.future.isDone()) {
          all.remove();
          late.add(waiter);
        }
      }
      goesOn = !waiting.isEmpty();
      isTicking = goesOn;
      isAsked = goesOn;
      pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
    }
    if (goesOn) {
      askProgress.run();
      clock.after(pause, this::tick);
    }
    late.forEach(waiter -> waiter.future.completeExceptionally(tooLate(waiter.revision)));
  }

  private KvException tooLate(long wanted) {
    return new KvException.Unavailable(
        what
            + " has come to revision "
            + revision
            + " only, "
            + wanted
            + " was waited for; the cluster was heard "
            + age().toMillis()
            + " ms ago");
  }

  /** It is over: nobody waits any longer. Only the first reason counts. */
  void fail(KvException why) {
    List<Waiter> all;
    synchronized (lock) {
      if (failure != null) {
        return;
      }
      failure = why;
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(waiter -> waiter.future.completeExceptionally(why));
  }

  /**
   * Completes when the cache has seen all that was acknowledged before this call. It costs a round
   * of the cluster that moves no data, and the time until the watch has come so far.
   */
  CompletableFuture<Long> confirm(KvClient client) {
    CompletableFuture<TxnResult> asked = client.txn(NOTHING);
    // A future of its own, not a derived one: its failure is the cause itself, as the client's is.
    CompletableFuture<Long> confirmed = asked.newIncompleteFuture();
    var unused =
        asked.whenComplete(
            (result, unreachable) -> {
              if (unreachable == null) {
                pass(await(result.header().revision()), confirmed);
              } else {
                confirmed.completeExceptionally(unreachable);
              }
            });
    return confirmed;
  }

  /** The second future ends as the first one does. */
  static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
    var unused =
        from.whenComplete(
            (value, why) -> {
              if (why == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(why);
              }
            });
  }
}
