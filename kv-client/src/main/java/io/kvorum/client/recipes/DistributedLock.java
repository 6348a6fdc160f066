package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that one owner at a time holds, in the order in which they asked.
 *
 * <pre>{@code
 * Owner owner = Owner.open(client, Duration.ofSeconds(10)).join();
 * DistributedLock lock = DistributedLock.of(owner, "locks/report");
 * try (Held held = Blocking.await(lock.acquire())) {
 *   storage.write(report, held.fencingToken());
 * }
 * }</pre>
 *
 * <p><b>Guarantees.</b> The keys of the line are on the leases of their owners; the oldest one
 * holds the lock. At most one owner's key is the oldest, so of those who present {@link
 * Held#fencingToken} to a {@link FencingGuard}, or {@link Held#guard} to Kvorum, none gets through
 * once the next one has. A crashed holder keeps the others out for the TTL of its owner and a
 * little more. A lock is handed out only after a linearizable look at the line that finds the own
 * key still there, and with time left on the own clock. Each waits for the one before it, so a
 * release wakes one.
 *
 * <p><b>Not guaranteed:</b> that two never believe to hold it. A holder that is paused longer than
 * its TTL learns afterwards that the lock is lost, and may do something before it has learned it;
 * so does one whose key somebody else deletes.
 *
 * <p><b>Reentrant per owner:</b> whoever asks while the same owner holds the lock has it, too; it
 * is released with the last {@link Held}. That holds for all objects of the same owner and name.
 *
 * <p><b>Giving up.</b> To cancel the future, or to end it in another way such as {@code orTimeout},
 * gives up; the key in the line is removed also if nobody has said whether it was put (FAULTS
 * F130). Futures that are derived from it do not pass their end on to it.
 *
 * <p><b>Keys:</b> {@code <name>/<lease in hex>}, as etcd has them; {@code <name>.void/<lease>}.
 */
public final class DistributedLock {
  private final Claim claim;

  DistributedLock(Claim claim) {
    this.claim = claim;
  }

  /** The lock of this name, for this owner. */
  public static DistributedLock of(Owner owner, String name) {
    return of(owner, Bytes.utf8(name));
  }

  /** The lock of this name, for this owner. */
  public static DistributedLock of(Owner owner, Bytes name) {
    return new DistributedLock(Lines.exclusive(owner, name, Claim.Kind.REENTRANT));
  }

  /** Waits for the lock; fails with {@link OwnershipLostException} if the owner is lost first. */
  public CompletableFuture<Held> acquire() {
    return claim.ask(Bytes.EMPTY, true, Claim::granted);
  }

  /** Takes the lock if nobody else holds it or waits for it; empty otherwise. */
  public CompletableFuture<Optional<Held>> tryAcquire() {
    return claim.askWithin(Duration.ZERO);
  }

  /** Waits for the lock for so long; empty if it did not come. Zero: as {@link #tryAcquire()}. */
  public CompletableFuture<Optional<Held>> tryAcquire(Duration timeout) {
    return claim.askWithin(timeout);
  }
}
