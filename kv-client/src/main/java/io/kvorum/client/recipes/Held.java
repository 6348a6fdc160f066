package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Txn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Something that its owner holds: a lock, a permit. Thread-safe.
 *
 * <p>That it was granted does not mean that it is held still when the next line of code runs: the
 * process may have been paused in between. What only the holder may do carries {@link
 * #fencingToken} to whoever does it ({@link FencingGuard}), or, when it is done in Kvorum itself,
 * {@link #guard}.
 */
public final class Held implements AutoCloseable {
  private final Owner owner;
  private final Place place;
  private final Bytes key;
  private final long token;
  private final Supplier<CompletableFuture<Void>> letGo;
  private final CompletableFuture<Void> released;
  private final AtomicBoolean isReleased = new AtomicBoolean();

  /**
   * Held from now on.
   *
   * @param place whose turn it is
   * @param letGo is called once, when it is released
   */
  Held(Owner owner, Place place, Supplier<CompletableFuture<Void>> letGo) {
    this.owner = owner;
    this.place = place;
    this.key = place.key();
    this.token = place.created();
    this.letGo = letGo;
    this.released = owner.promise();
  }

  /** Grows from holder to holder: the revision at which the holder took its place in the line. */
  public long fencingToken() {
    return token;
  }

  /** The key that stands for it. */
  public Bytes key() {
    return key;
  }

  /**
   * Whether it is held by what this process can tell: not released, the lease has time left, and
   * nobody is known to have deleted the key.
   */
  public boolean isHeld() {
    return !isReleased.get() && owner.isAlive() && !place.isLost();
  }

  /**
   * Runs the callback with the reason, once, if this is lost before it is released: when the owner
   * loses its lease, no later than anybody else can get it, but for how long the executor takes;
   * when somebody else deletes the key, as soon as that is heard of, and the next one may be
   * faster.
   */
  public void onLost(Consumer<String> callback) {
    var unused =
        place
            .lost()
            .thenAccept(
                why ->
                    owner
                        .ports()
                        .tell(
                            () -> {
                              if (!isReleased.get()) {
                                callback.accept(why);
                              }
                            }));
  }

  /** Holds, in a transaction, as long as this is held: whatever clocks say, and pauses do. */
  public Compare guard() {
    return Compare.createRevision(key).isEqualTo(token);
  }

  /** The transaction, which does what it does only as long as this is held. */
  public Txn guarded(Txn txn) {
    List<Compare> compares = new ArrayList<>(txn.compares());
    compares.add(guard());
    return new Txn(compares, txn.success(), txn.failure());
  }

  /**
   * Lets it go. Tried until the outcome is known, as long as the lease lives: the next one gets it
   * at the latest when that ends. Releasing twice changes nothing.
   *
   * @return completes when it is certainly not held any more; fails when that is not known
   */
  public CompletableFuture<Void> release() {
    if (isReleased.compareAndSet(false, true)) {
      var unused =
          letGo
              .get()
              .whenComplete(
                  (nothing, failure) ->
                      owner
                          .ports()
                          .tell(
                              () -> {
                                if (failure == null) {
                                  released.complete(null);
                                } else {
                                  released.completeExceptionally(Failures.cause(failure));
                                }
                              }));
    }
    return released.copy();
  }

  /** Completes when it was released and that has ended, as {@link #release} says. */
  CompletableFuture<Void> released() {
    return released.copy();
  }

  /** As {@link #release}, without waiting. */
  @Override
  public void close() {
    var unused = release();
  }
}
