package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Op;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A term of a leader: from its election until it resigns or its lease ends. Thread-safe. */
public final class Leadership implements AutoCloseable {
  private final Owner owner;
  private final Held held;
  private final Bytes value;

  Leadership(Owner owner, Held held, Bytes value) {
    this.owner = owner;
    this.held = held;
    this.value = value;
  }

  /** Higher than that of every leader before: a fencing token. */
  public long term() {
    return held.fencingToken();
  }

  /** What it was elected with. */
  public Bytes value() {
    return value;
  }

  /** Whether it leads by what this process can tell. */
  public boolean isLeading() {
    return held.isHeld();
  }

  /** See {@link Held#onLost}. */
  public void onLost(Consumer<String> callback) {
    held.onLost(callback);
  }

  /** See {@link Held#guard}. */
  public Compare guard() {
    return held.guard();
  }

  /** See {@link Held#guarded}. */
  public Txn guarded(Txn txn) {
    return held.guarded(txn);
  }

  /**
   * Tells observers something else, in the same term.
   *
   * @return fails with {@link OwnershipLostException} if the term is over
   */
  public CompletableFuture<Void> proclaim(Bytes other) {
    PutOptions onLease = PutOptions.DEFAULT.withLease(owner.id());
    return owner
        .ports()
        .client()
        .txn(guarded(Txn.of(Op.put(held.key(), other, onLease))))
        .thenAccept(
            result -> {
              if (!result.succeeded()) {
                throw new OwnershipLostException("term " + term() + " is over");
              }
            });
  }

  /** Ends the term; the next candidate leads. See {@link Held#release}. */
  public CompletableFuture<Void> resign() {
    return held.release();
  }

  /** See {@link Held#released}. */
  CompletableFuture<Void> released() {
    return held.released();
  }

  /** As {@link #resign}, without waiting. */
  @Override
  public void close() {
    held.close();
  }
}
