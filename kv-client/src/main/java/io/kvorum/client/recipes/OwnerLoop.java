package io.kvorum.client.recipes;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Always has an {@link Owner}, or is about to have one: opens another when the last one is lost,
 * and when none can be opened, tries again for as long as it takes, or until the client is closed.
 */
final class OwnerLoop {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerLoop.class);
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final RecipePorts ports;
  private final Duration ttl;
  private final Consumer<Owner> begin;
  private final Consumer<Throwable> ended;

  /** Guards what follows. */
  private final Object lock = new Object();

  private @Nullable Owner present;
  private volatile CompletableFuture<?> kind = new CompletableFuture<>();
  private boolean isOver;

  /**
   * Not begun yet.
   *
   * @param begin is given each new owner; does not block
   * @param ended is told, at most once, why there will be no further owner though nobody has called
   *     {@link #end}; does not block
   */
  OwnerLoop(RecipePorts ports, Duration ttl, Consumer<Owner> begin, Consumer<Throwable> ended) {
    this.ports = ports;
    this.ttl = ttl;
    this.begin = begin;
    this.ended = ended;
  }

  void start() {
    if (isOver()) {
      return;
    }
    CompletableFuture<Owner> opening = Owner.open(ports, ttl);
    kind = opening;
    var unused = opening.whenComplete(this::opened);
  }

  /** An open future for the application, of the kind that its client makes; after the start. */
  <T> CompletableFuture<T> promise() {
    return kind.newIncompleteFuture();
  }

  boolean isOver() {
    synchronized (lock) {
      return isOver;
    }
  }

  private void opened(@Nullable Owner owner, @Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Failures.cause(failure);
    if (cause != null && Failures.isClientClosed(cause)) {
      clientClosed(cause);
      return;
    }
    if (owner == null) {
      LOG.debug("no lease could be had; trying again", failure);
      again();
      return;
    }
    synchronized (lock) {
      if (!isOver) {
        present = owner;
      }
    }
    if (isOver()) {
      owner.close();
      return;
    }
    owner.addDependent(why -> lost(owner));
    begin.accept(owner);
  }

  /** No lease will ever be had any more. */
  private void clientClosed(Throwable cause) {
    synchronized (lock) {
      if (isOver) {
        return;
      }
      isOver = true;
    }
    ended.accept(cause);
  }

  private void lost(Owner owner) {
    synchronized (lock) {
      if (isOver || present != owner) {
        return;
      }
      present = null;
    }
    again();
  }

  /** What could not be done under this owner is tried under the next one. */
  void abandon(Owner owner) {
    // Tells its dependents, and so us.
    owner.close();
  }

  private void again() {
    ports.timers().after(PAUSE, this::start);
  }

  /**
   * No further owner.
   *
   * @return the end of the present one, if there is one
   */
  CompletableFuture<Void> end() {
    Owner last;
    synchronized (lock) {
      isOver = true;
      last = present;
      present = null;
    }
    return last == null ? CompletableFuture.completedFuture(null) : last.end();
  }
}
