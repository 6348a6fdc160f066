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
  private final Bytes key;
  private final long token;
  private final Supplier<CompletableFuture<Void>> letGo;
  private final CompletableFuture<Void> released;
  private final AtomicBoolean isReleased = new AtomicBoolean();

  /**
   * Held from now on.
   *
   * @param token the revision at which the key was created
   * @param letGo is called once, when it is released
   */
  Held(Owner owner, Bytes key, long token, Supplier<CompletableFuture<Void>> letGo) {
    this.owner = owner;
    this.key = key;
    this.token = token;
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
   * Whether it is held by what this process can tell: not released, and the lease has time left.
   */
  public boolean isHeld() {
    return !isReleased.get() && owner.isAlive();
  }

  /**
   * Runs the callback with the reason, once, if the owner loses its lease before this is released;
   * no later than anybody else can get it, but for how long the executor takes.
   */
  public void onLost(Consumer<String> callback) {
    owner.onLost(
        why -> {
          if (!isReleased.get()) {
            callback.accept(why);
          }
        });
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
