package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A number of permits, given to those who ask in the order in which they ask.
 *
 * <p><b>Guarantees.</b> The keys of all who hold or want a permit are on the leases of their
 * owners; the oldest so many have the permits. A permit is handed out only after a linearizable
 * look that finds fewer than that before the own key, and with time left on the own clock. A
 * crashed holder's permits are free after the TTL of its owner and a little more. When a permit is
 * released, all who wait hear of it, and those whose turn it can be look.
 *
 * <p><b>Not guaranteed:</b> that never more than so many believe to hold a permit. A holder that is
 * paused longer than its TTL learns afterwards that its permit is lost. Tokens of holders do not
 * grow in the order of use, so a {@link FencingGuard} is of no use here; {@link Held#guard} is.
 *
 * <p>All have to name the same number of permits; each takes its own number for true. An owner may
 * hold many permits: each {@link #acquire} takes one.
 *
 * <p><b>Keys:</b> {@code <name>/<lease>-<n>}, {@code <name>.void/<lease>-<n>}.
 */
public final class Semaphore {
  private final Owner owner;
  private final Bytes name;
  private final Line line;

  private Semaphore(Owner owner, Bytes name, int permits) {
    this.owner = owner;
    this.name = name;
    this.line = new Line.Permits(KeyRange.prefix(Lines.join(name, Lines.SLASH)), permits);
  }

  /** The semaphore of this name, for this owner. */
  public static Semaphore of(Owner owner, String name, int permits) {
    return of(owner, Bytes.utf8(name), permits);
  }

  /**
   * The semaphore of this name, for this owner.
   *
   * @param permits at least 1
   */
  public static Semaphore of(Owner owner, Bytes name, int permits) {
    if (permits < 1) {
      throw new IllegalArgumentException("a semaphore has at least one permit, not " + permits);
    }
    return new Semaphore(owner, name, permits);
  }

  /** Waits for a permit; fails with {@link OwnershipLostException} if the owner is lost first. */
  public CompletableFuture<Held> acquire() {
    return claim().ask(Bytes.EMPTY, true, Claim::granted);
  }

  /** Takes a permit if one is free and nobody waits for it; empty otherwise. */
  public CompletableFuture<Optional<Held>> tryAcquire() {
    return tryAcquire(Duration.ZERO);
  }

  /** Waits for a permit for so long; empty if none came. */
  public CompletableFuture<Optional<Held>> tryAcquire(Duration timeout) {
    return claim().askWithin(timeout);
  }

  private Claim claim() {
    Bytes which = Bytes.utf8(Long.toHexString(owner.id()) + "-" + owner.nextNumber());
    Place.Keys keys =
        new Place.Keys(Lines.join(name, Lines.SLASH, which), Lines.join(name, Lines.VOID, which));
    return new Claim(owner, keys, line, Claim.Kind.SINGLE);
  }
}
