package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An item that a {@link QueueConsumer} has taken: it is out of the others' way until it is
 * acknowledged or given back, or until the owner's lease ends. Thread-safe.
 */
public final class QueueItem {
  private final Owner owner;
  private final Bytes itemKey;
  private final Bytes claimKey;
  private final long claimed;
  private final long number;
  private final Bytes value;
  private final CompletableFuture<Boolean> ended;
  private final AtomicBoolean isEnding = new AtomicBoolean();

  /**
   * Taken.
   *
   * @param claimed the revision at which the claim was created
   */
  QueueItem(Owner owner, WorkQueue.Keys keys, long number, long claimed, Bytes value) {
    this.owner = owner;
    this.itemKey = keys.item(number);
    this.claimKey = keys.claim(number);
    this.claimed = claimed;
    this.number = number;
    this.value = value;
    this.ended = owner.promise();
  }

  /** Its place in the queue. */
  public long number() {
    return number;
  }

  public Bytes value() {
    return value;
  }

  /** Grows with each delivery of the item: a fencing token for what is done about it. */
  public long fencingToken() {
    return claimed;
  }

  /**
   * Whether nobody else can have it, by what this process can tell; that somebody has deleted the
   * claim it cannot: {@link #ack} and {@link #guard} can.
   */
  public boolean isTaken() {
    return !isEnding.get() && owner.isAlive();
  }

  /** Holds, in a transaction, as long as nobody else can have it. */
  public Compare guard() {
    return Compare.createRevision(claimKey).isEqualTo(claimed);
  }

  /**
   * The transaction, which also takes the item out of the queue, and does nothing if it is no
   * longer this consumer's: so what it does happens once for the item.
   */
  public Txn ackInto(Txn txn) {
    List<Compare> compares = new ArrayList<>(txn.compares());
    compares.add(guard());
    return new Txn(compares, txn.success(), txn.failure())
        .then(Op.delete(itemKey), Op.delete(claimKey));
  }

  /**
   * Takes the item out of the queue: its work is done. Tried until the outcome is known.
   *
   * @return false if that was not certain in time: it is or was delivered again
   */
  public CompletableFuture<Boolean> ack() {
    return end(ackInto(Txn.when()).otherwise(Op.get(itemKey)));
  }

  /** Gives the item back, for whoever comes first. As {@link #ack} otherwise. */
  public CompletableFuture<Boolean> giveBack() {
    return end(Txn.when(guard()).then(Op.delete(claimKey)).otherwise(Op.get(itemKey)));
  }

  private CompletableFuture<Boolean> end(Txn txn) {
    if (isEnding.compareAndSet(false, true)) {
      Retry<TxnResult> attempts =
          new Retry<>(owner.ports(), () -> owner.ports().client().txn(txn), owner::isAlive);
      var unused =
          attempts
              .start()
              .whenComplete(
                  (result, failure) ->
                      owner.ports().tell(() -> tell(result, failure, attempts.isDoubtful())));
    }
    return ended.copy();
  }

  private void tell(@Nullable TxnResult result, @Nullable Throwable failure, boolean isDoubtful) {
    if (result == null) {
      Throwable cause = failure == null ? new AssertionError("no failure") : failure;
      ended.completeExceptionally(cause);
      return;
    }
    boolean isGone =
        !result.succeeded() && ((OpResult.Range) result.results().get(0)).keyValue().isEmpty();
    // Nobody else could take it out before our lease was over: an earlier attempt of ours has.
    ended.complete(result.succeeded() || (isDoubtful && isGone && owner.isAlive()));
  }
}
