package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.PutOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEnd;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes items out of a {@link WorkQueue} for an owner; see there for what is guaranteed.
 *
 * <p>A claim is a key on the owner's lease. Every put of one compares a marker; if the outcome of
 * one is unknown and it is not to be, the marker is put first, and what is still under way changes
 * nothing any more (as a {@link Place} does it).
 */
public final class QueueConsumer {
  private final WorkQueue queue;
  private final Owner owner;
  private final KvClient client;
  private final WorkQueue.Keys keys;
  private final Bytes marker;
  private final PutOptions onLease;

  /** Of the marker, as far as it is known; any take may learn more. */
  private volatile long marked;

  private QueueConsumer(WorkQueue queue, Owner owner) {
    this.queue = queue;
    this.owner = owner;
    this.client = owner.ports().client();
    this.keys = queue.keys();
    this.marker = keys.marker(owner.id());
    this.onLease = PutOptions.DEFAULT.withLease(owner.id());
  }

  /** A consumer of that queue, whose items hang on the owner's lease. */
  public static QueueConsumer of(WorkQueue queue, Owner owner) {
    return new QueueConsumer(queue, owner);
  }

  /**
   * Takes the first item that nobody has, and waits for one if there is none. To cancel the future
   * gives up; an item that was taken meanwhile is given back. Fails with {@link
   * OwnershipLostException} if the owner is lost first.
   */
  public CompletableFuture<QueueItem> take() {
    return new Take<QueueItem>(true, QueueConsumer::taken).start();
  }

  /** Takes the first item that nobody has, if there is one. */
  public CompletableFuture<Optional<QueueItem>> poll() {
    return new Take<Optional<QueueItem>>(false, item -> Optional.ofNullable(item)).start();
  }

  private static QueueItem taken(@Nullable QueueItem item) {
    if (item == null) {
      throw new AssertionError("who waits is not told that the queue is empty");
    }
    return item;
  }

  /** One item that is to be taken. */
  private final class Take<T> {
    private final boolean waits;
    private final Function<@Nullable QueueItem, T> answer;
    private final CompletableFuture<T> promise = owner.promise();
    private final Consumer<String> ownerEnd = this::ownerEnded;
    private final Bytes token = Bytes.utf8(Long.toHexString(owner.id()) + "-" + owner.nextNumber());
    private final AtomicReference<@Nullable Watch> watch = new AtomicReference<>();

    Take(boolean waits, Function<@Nullable QueueItem, T> answer) {
      this.waits = waits;
      this.answer = answer;
    }

    CompletableFuture<T> start() {
      var unused =
          promise.whenComplete(
              (item, failure) -> {
                owner.removeDependent(ownerEnd);
                closeWatch();
              });
      owner.addDependent(ownerEnd);
      look();
      return promise;
    }

    private void closeWatch() {
      Watch open = watch.getAndSet(null);
      if (open != null) {
        open.close();
      }
    }

    private void ownerEnded(String why) {
      fail(new OwnershipLostException(why));
    }

    private void fail(Throwable cause) {
      owner.ports().tell(() -> promise.completeExceptionally(cause));
    }

    private boolean isWanted() {
      return !promise.isDone() && owner.isAlive();
    }

    private void look() {
      var unused =
          new Retry<>(owner.ports(), () -> queue.firstFree(0, 0), this::isWanted)
              .start()
              .whenComplete(
                  (found, failure) -> {
                    if (found == null) {
                      fail(lostOr(failure));
                    } else {
                      looked(found);
                    }
                  });
    }

    private Throwable lostOr(@Nullable Throwable failure) {
      if (failure == null || Failures.isLeaseGone(failure) || !owner.isAlive()) {
        return new OwnershipLostException("the lease has ended");
      }
      return failure;
    }

    private void looked(WorkQueue.Look found) {
      if (promise.isDone()) {
        return;
      }
      if (found.free().isPresent()) {
        claim(found.free().get());
      } else if (waits) {
        await(found.revision());
      } else {
        owner.ports().tell(() -> promise.complete(answer.apply(null)));
      }
    }

    /** Looks again when something has come, or has been given back. */
    private void await(long revision) {
      WatchOptions behind = WatchOptions.DEFAULT.withFromRevision(revision + 1);
      Arrivals arrivals = new Arrivals(this::look);
      watch.set(client.watch(KeyRange.prefix(keys.prefix()), behind, arrivals));
      arrivals.begin(this::closeWatch, this::fail);
      if (promise.isDone()) {
        closeWatch();
      }
    }

    private void claim(KeyValue item) {
      long number = keys.number(item.key());
      Retry<TxnResult> attempts =
          new Retry<>(owner.ports(), () -> client.txn(claiming(item, number)), owner::isAlive);
      var unused =
          attempts
              .start()
              .whenComplete(
                  (result, failure) -> {
                    if (result == null) {
                      fail(lostOr(failure));
                    } else {
                      claimed(number, result, attempts.isDoubtful());
                    }
                  });
    }

    private Txn claiming(KeyValue item, long number) {
      Bytes claim = keys.claim(number);
      return Txn.when(
              Compare.createRevision(item.key()).isEqualTo(item.createRevision()),
              Compare.version(claim).isEqualTo(0),
              Compare.modRevision(marker).isEqualTo(marked))
          .then(Op.get(item.key()), Op.put(claim, token, onLease))
          .otherwise(Op.get(item.key()), Op.get(claim), Op.get(marker));
    }

    private void claimed(long number, TxnResult result, boolean isDoubtful) {
      Optional<KeyValue> item = ((OpResult.Range) result.results().get(0)).keyValue();
      if (result.succeeded()) {
        hand(number, result.header().revision(), item);
        return;
      }
      Optional<KeyValue> claim = ((OpResult.Range) result.results().get(1)).keyValue();
      if (claim.isPresent() && claim.get().value().equals(token)) {
        // An attempt of ours that we have heard nothing of.
        hand(number, claim.get().createRevision(), item);
        return;
      }
      Optional<KeyValue> mark = ((OpResult.Range) result.results().get(2)).keyValue();
      marked = mark.map(KeyValue::modRevision).orElse(0L);
      if (isDoubtful) {
        annul();
      } else {
        look();
      }
    }

    /** What of us is still under way must not claim what somebody gives back later. */
    private void annul() {
      var unused =
          new Retry<>(owner.ports(), () -> client.put(marker, Bytes.EMPTY, onLease), owner::isAlive)
              .start()
              .whenComplete(
                  (put, failure) -> {
                    if (put == null) {
                      fail(lostOr(failure));
                    } else {
                      marked = put.header().revision();
                      look();
                    }
                  });
    }

    private void hand(long number, long claimed, Optional<KeyValue> found) {
      if (found.isEmpty()) {
        throw new AssertionError("an item that is claimed is there");
      }
      QueueItem item = new QueueItem(owner, keys, number, claimed, found.get().value());
      owner
          .ports()
          .tell(
              () -> {
                if (!owner.isAlive()) {
                  promise.completeExceptionally(
                      new OwnershipLostException("the lease has run out"));
                } else if (!promise.complete(answer.apply(item))) {
                  var unused = item.giveBack();
                }
              });
    }
  }

  /** Hears, once, that it makes sense to look again. */
  private final class Arrivals implements WatchListener {
    private final Runnable next;
    private final CompletableFuture<Void> heard = new CompletableFuture<>();

    Arrivals(Runnable next) {
      this.next = next;
    }

    /** From now on: the watch is known to whoever closes it. */
    void begin(Runnable close, Consumer<Throwable> fail) {
      var unused =
          heard.whenComplete(
              (nothing, failure) -> {
                close.run();
                if (failure == null) {
                  next.run();
                } else {
                  fail.accept(failure);
                }
              });
    }

    @Override
    public void events(WatchEvents events) {
      boolean isNews =
          events.events().stream()
              .anyMatch(
                  event ->
                      event.type() == WatchEvent.Type.PUT
                          ? event.keyValue().key().startsWith(keys.items())
                          : event.keyValue().key().startsWith(keys.claims()));
      if (isNews) {
        heard.complete(null);
      }
    }

    @Override
    public void ended(WatchEnd end) {
      if (end instanceof WatchEnd.Compacted) {
        // Something may have come unseen.
        heard.complete(null);
      } else if (end instanceof WatchEnd.Rejected rejected) {
        heard.completeExceptionally(rejected.cause());
      } else if (end instanceof WatchEnd.ClientClosed) {
        heard.completeExceptionally(new OwnershipLostException("the client was closed"));
      }
    }
  }
}
