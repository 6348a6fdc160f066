package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.RangeResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock that one owner holds at a time. Each contender puts a key of its own, its ticket, below
 * the lock's prefix; whose ticket was created first holds the lock, the others wait until those
 * before them are gone.
 *
 * <p>That is safe because a read is linearizable and revisions only grow: once a contender has seen
 * its ticket as the oldest, no older one can appear. Who waits asks again and again, since Kvorum
 * has no watches yet; and who dies holds on for ever, since it has no leases yet.
 *
 * <p>A put whose outcome is unknown may still be executed, long after it was given up. Its ticket
 * would stand in the way of all others, so it is never taken up again under the same name: it is
 * looked for and, whenever it appears, deleted.
 */
public final class TicketLock {
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration SWEEP_PAUSE = Duration.ofSeconds(1);

  /** Runs a task after a while: that of an executor, or of a simulated cluster. */
  @FunctionalInterface
  public interface Timer {
    void after(Duration delay, Runnable task);
  }

  private final KvClient kv;
  private final KeyRange tickets;
  private final String ticketPrefix;
  private final Timer timer;
  private final AtomicLong drawn = new AtomicLong();

  private final AtomicBoolean sweeping = new AtomicBoolean();

  /** Tickets that may appear, though nobody waits with them. */
  private final Set<Bytes> doubtful = new ConcurrentSkipListSet<>();

  /**
   * The lock of that name, for one owner.
   *
   * @param owner unique among all that ever use the lock: a process that starts again is another
   */
  public TicketLock(KvClient kv, String name, String owner, Timer timer) {
    this.kv = kv;
    this.tickets = KeyRange.prefix(Bytes.utf8(name + "/"));
    this.ticketPrefix = name + "/" + owner + "/";
    this.timer = timer;
  }

  /** Completes when this owner holds the lock, with the ticket that {@link #release} takes. */
  public CompletableFuture<Bytes> acquire() {
    Bytes ticket = Bytes.utf8(ticketPrefix + drawn.incrementAndGet());
    return then(
        kv.put(ticket, Bytes.utf8("")),
        this::acquire,
        (put, unknown) -> unknown == null ? awaitTurn(ticket) : look(ticket));
  }

  /** Completes when the ticket is gone for certain, so that the next owner has its turn. */
  public CompletableFuture<Boolean> release(Bytes ticket) {
    // To delete once more what may be deleted already does no harm: nobody draws a ticket again.
    return then(
        kv.delete(ticket),
        () -> release(ticket),
        (deleted, unknown) ->
            unknown == null
                ? CompletableFuture.completedFuture(true)
                : pauseThen(() -> release(ticket)));
  }

  /** The put may have been executed, or may still be. If the ticket is there, it is a good one. */
  private CompletableFuture<Bytes> look(Bytes ticket) {
    return then(
        kv.get(ticket),
        () -> look(ticket),
        (found, unknown) -> {
          if (found == null) {
            return pauseThen(() -> look(ticket));
          }
          if (found.keyValue().isPresent()) {
            return awaitTurn(ticket);
          }
          doubtful.add(ticket);
          sweep();
          return acquire();
        });
  }

  private CompletableFuture<Bytes> awaitTurn(Bytes ticket) {
    return then(
        kv.range(tickets),
        () -> awaitTurn(ticket),
        (found, unknown) ->
            found != null && isFirst(ticket, found)
                ? CompletableFuture.completedFuture(ticket)
                : pauseThen(() -> awaitTurn(ticket)));
  }

  private static boolean isFirst(Bytes ticket, RangeResult found) {
    if (found.more()) {
      throw new IllegalStateException("too many contenders for one answer");
    }
    return found.keyValues().stream()
        .min(Comparator.comparingLong(KeyValue::createRevision))
        .orElseThrow(() -> new IllegalStateException("somebody else has deleted " + ticket))
        .key()
        .equals(ticket);
  }

  /** For as long as a ticket is in doubt. */
  private void sweep() {
    if (doubtful.isEmpty() || !sweeping.compareAndSet(false, true)) {
      return;
    }
    timer.after(
        SWEEP_PAUSE,
        () -> {
          sweeping.set(false);
          doubtful.forEach(this::deleteWhenItComes);
          sweep();
        });
  }

  private void deleteWhenItComes(Bytes ticket) {
    var unused =
        kv.delete(ticket)
            .thenAccept(
                result -> {
                  if (result.deleted() > 0) {
                    // It came, once, as every put does: it cannot come again.
                    doubtful.remove(ticket);
                  }
                });
  }

  /**
   * Goes on with the result of a call; or, if its outcome is unknown, without one. What certainly
   * was not executed is tried again after a pause; what never will be fails.
   */
  private <T, R> CompletableFuture<R> then(
      CompletableFuture<T> call,
      Supplier<CompletableFuture<R>> again,
      BiFunction<@Nullable T, KvException.@Nullable OutcomeUnknown, CompletableFuture<R>> next) {
    return call.handle(Ended::new)
        .thenCompose(
            ended -> {
              Throwable cause = ended.cause();
              if (cause instanceof KvException.Unavailable) {
                return pauseThen(again);
              }
              if (cause == null || cause instanceof KvException.OutcomeUnknown) {
                return next.apply(ended.result(), (KvException.OutcomeUnknown) cause);
              }
              return CompletableFuture.failedFuture(cause);
            });
  }

  /** How a call has ended: with a result, or with a failure. */
  private record Ended<T>(@Nullable T result, @Nullable Throwable failure) {
    @Nullable Throwable cause() {
      return failure instanceof CompletionException ? failure.getCause() : failure;
    }
  }

  private <R> CompletableFuture<R> pauseThen(Supplier<CompletableFuture<R>> next) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    timer.after(PAUSE, () -> over.complete(true));
    return over.thenCompose(paused -> next.get());
  }
}
