package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one owner has to do with one line: at most one place in it, for all who ask, counted. When
 * the last one has gone the place is left; whoever asks meanwhile waits until it is gone, and then
 * takes a new one.
 */
final class Claim {
  private final Owner owner;
  private final Place.Keys keys;
  private final Line line;
  private final Kind kind;

  /** Guards what follows; nothing is completed with it held. */
  private final Object lock = new Object();

  private final List<Waiter<?>> waiters = new ArrayList<>();
  private Bytes value = Bytes.EMPTY;
  private @Nullable Place place;
  private boolean isTurn;
  private boolean isLeaving;
  private int holds;

  Claim(Owner owner, Place.Keys keys, Line line, Kind kind) {
    this.owner = owner;
    this.keys = keys;
    this.line = line;
    this.kind = kind;
  }

  /**
   * What a claim allows its owner.
   *
   * @param isShared whether more than one may ask at a time
   * @param barring asking is refused while the owner has that claim; null: none
   */
  record Kind(boolean isShared, @Nullable Claim barring) {
    /** As often as it likes. */
    static final Kind REENTRANT = new Kind(true, null);

    /** Once at a time. */
    static final Kind SINGLE = new Kind(false, null);
  }

  /** Somebody who asks. */
  private static final class Waiter<T> {
    private final CompletableFuture<T> future;
    private final Function<@Nullable Held, T> answer;
    private final boolean isPatient;

    Waiter(CompletableFuture<T> future, Function<@Nullable Held, T> answer, boolean isPatient) {
      this.future = future;
      this.answer = answer;
      this.isPatient = isPatient;
    }

    /** Whether it was not over yet. */
    boolean complete(@Nullable Held held) {
      return future.complete(answer.apply(held));
    }
  }

  /** The answer to whoever waits as long as it takes. */
  static Held granted(@Nullable Held held) {
    if (held == null) {
      throw new AssertionError("who waits is not told that others wait, too");
    }
    return held;
  }

  /** Whether nobody of this owner holds it or asks for it. */
  boolean isIdle() {
    synchronized (lock) {
      return holds == 0 && waiters.isEmpty();
    }
  }

  /**
   * Takes part in the line.
   *
   * @param initial of the key, if it has to be put
   * @param isPatient whether to wait for those who came before
   * @param answer what the future completes with; null: somebody is before us
   * @return to end it in any way before it is complete gives up
   */
  <T> CompletableFuture<T> ask(
      Bytes initial, boolean isPatient, Function<@Nullable Held, T> answer) {
    boolean isBarred = kind.barring() != null && !kind.barring().isIdle();
    Waiter<T> waiter = new Waiter<>(owner.promise(), answer, isPatient);
    Runnable next;
    synchronized (lock) {
      boolean isFirst = holds == 0 && waiters.isEmpty();
      if (isFirst ? isBarred : !kind.isShared()) {
        return CompletableFuture.failedFuture(
            new IllegalStateException(
                isFirst
                    ? "the owner holds what it would have to wait for: " + keys.place()
                    : "the owner takes part already: " + keys.place()));
      }
      waiters.add(waiter);
      next = next(initial);
    }
    next.run();
    var unused = waiter.future.whenComplete((held, failure) -> giveUp(waiter));
    return waiter.future;
  }

  /** As {@link #ask}, for so long; then empty. */
  CompletableFuture<Optional<Held>> askWithin(Duration timeout) {
    boolean waits = !timeout.isZero() && !timeout.isNegative();
    CompletableFuture<Optional<Held>> future =
        ask(Bytes.EMPTY, waits, held -> Optional.ofNullable(held));
    if (waits) {
      // What is over long before its time is not kept until then.
      AtomicReference<@Nullable CompletableFuture<Optional<Held>>> waiting =
          new AtomicReference<>(future);
      var unused = future.whenComplete((held, failure) -> waiting.set(null));
      owner.ports().timers().after(timeout, () -> expire(waiting.get()));
    }
    return future;
  }

  private void expire(@Nullable CompletableFuture<Optional<Held>> future) {
    if (future != null) {
      owner.ports().tell(() -> future.complete(Optional.empty()));
    }
  }

  /** What has to happen, outside the lock, now that somebody waits. */
  private Runnable next(Bytes initial) {
    Place present = place;
    if (isTurn && present != null) {
      // Somebody else may have deleted the key, and we have not heard of it.
      return () -> present.confirm(this::grant);
    }
    value = initial;
    if (present == null) {
      return enter();
    }
    boolean isKnownToWait = !isLeaving && present.blocked().isDone();
    return isKnownToWait ? () -> blocked(present) : () -> {};
  }

  private Runnable enter() {
    Place entered = new Place(owner, keys, value, line);
    place = entered;
    return () -> {
      var unusedTurn = entered.turn().whenComplete((turn, failure) -> ended(entered, failure));
      var unusedBlocked = entered.blocked().thenRun(() -> blocked(entered));
      var unusedLost = entered.lost().thenRun(() -> lost(entered));
      var unusedGone = entered.gone().whenComplete((nothing, failure) -> gone(entered));
      entered.start();
    };
  }

  private void ended(Place which, @Nullable Throwable failure) {
    if (failure == null) {
      synchronized (lock) {
        isTurn = place == which && !isLeaving;
      }
      grant();
      return;
    }
    List<Waiter<?>> told;
    synchronized (lock) {
      isLeaving = place == which;
      told = List.copyOf(waiters);
      waiters.clear();
    }
    for (Waiter<?> waiter : told) {
      owner.ports().tell(() -> waiter.future.completeExceptionally(Failures.cause(failure)));
    }
  }

  /** Whoever waits waits for the next place. */
  private void lost(Place which) {
    synchronized (lock) {
      if (place == which) {
        isTurn = false;
        isLeaving = true;
      }
    }
  }

  /** Gives the turn to all who wait. */
  private void grant() {
    List<Waiter<?>> told;
    Place granted;
    boolean isUnused;
    synchronized (lock) {
      granted = place;
      if (!isTurn || granted == null) {
        return;
      }
      told = List.copyOf(waiters);
      waiters.clear();
      holds += told.size();
      isUnused = holds == 0;
      if (isUnused) {
        // The last one has given up just now.
        isTurn = false;
        isLeaving = true;
      }
    }
    if (isUnused) {
      granted.leave();
    }
    for (Waiter<?> waiter : told) {
      owner.ports().tell(() -> hand(waiter, granted));
    }
  }

  /** A lock that has been lost meanwhile is not handed out. */
  private void hand(Waiter<?> waiter, Place granted) {
    Held held = new Held(owner, granted, () -> drop(granted));
    if (!owner.isAlive() || granted.isLost()) {
      String why = granted.lost().getNow("the lease has run out");
      waiter.future.completeExceptionally(new OwnershipLostException(why));
      held.close();
    } else if (!waiter.complete(held)) {
      held.close();
    }
  }

  /** One hold less. */
  private CompletableFuture<Void> drop(Place of) {
    synchronized (lock) {
      if (place != of) {
        return of.gone();
      }
      holds--;
      if (holds > 0 || (isTurn && !waiters.isEmpty())) {
        // Others of this owner have it, or are about to.
        return CompletableFuture.completedFuture(null);
      }
      isTurn = false;
      isLeaving = true;
    }
    of.leave();
    return of.gone();
  }

  private void blocked(Place which) {
    List<Waiter<?>> told = new ArrayList<>();
    Place left = null;
    synchronized (lock) {
      for (Waiter<?> waiter : waiters) {
        if (!waiter.isPatient) {
          told.add(waiter);
        }
      }
      waiters.removeAll(told);
      if (waiters.isEmpty() && place == which && !isTurn) {
        isLeaving = true;
        left = which;
      }
    }
    if (left != null) {
      left.leave();
    }
    for (Waiter<?> waiter : told) {
      owner.ports().tell(() -> waiter.complete(null));
    }
  }

  /** Its future has ended without us. */
  private void giveUp(Waiter<?> waiter) {
    Place left = null;
    synchronized (lock) {
      boolean waited = waiters.remove(waiter);
      if (waited && waiters.isEmpty() && place != null && !isTurn && !isLeaving) {
        isLeaving = true;
        left = place;
      }
    }
    if (left != null) {
      left.leave();
    }
  }

  private void gone(Place which) {
    Runnable next;
    synchronized (lock) {
      if (place != which) {
        return;
      }
      place = null;
      isTurn = false;
      isLeaving = false;
      holds = 0;
      if (waiters.isEmpty()) {
        return;
      }
      next = enter();
    }
    next.run();
  }
}
