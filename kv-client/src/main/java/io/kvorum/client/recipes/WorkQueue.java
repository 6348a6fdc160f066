package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A queue: what is offered is numbered, one after the other, and comes out in that order.
 *
 * <p><b>At least once.</b> A {@link QueueConsumer} takes items under the lease of its owner. What
 * it has not acknowledged when that ends is delivered again. So an item whose consumer is paused
 * for longer than the TTL may be worked on twice, also at the same time.
 *
 * <p><b>Exactly once.</b> What an item causes in Kvorum happens once, if it is in the transaction
 * that takes the item out: {@link Item#takeInto}, without a lease, or {@link QueueItem#ackInto},
 * for an item that a consumer has taken. Of several who try, one succeeds, whatever pauses and
 * partitions do. A transaction whose outcome is unknown was executed if the item is gone and its
 * own effects are there; it may be tried again at will.
 *
 * <p><b>Offering</b> fails with {@link io.kvorum.api.KvException.OutcomeUnknown} when the item may
 * be in the queue, or may still get there, once; whoever offers it again may have it twice.
 *
 * <p>Producers that offer at the same time exclude each other, and those who lose try again at
 * once; what one object is offered meanwhile goes together. The queue is as fast as that.
 *
 * <p><b>Keys:</b> {@code <name>/tail}, the next number in 8 bytes; {@code <name>/items/<n>} and,
 * for those that a consumer has taken, {@code <name>/claims/<n>}, with the number in 16 hex digits;
 * {@code <name>/void/<lease>}.
 */
public final class WorkQueue {
  private static final int BATCH_MAX = 64;
  private static final int BATCH_BYTES_MAX = 128 << 10;
  private static final int PAGE = 256;

  private final RecipePorts ports;
  private final Keys keys;

  /** A future of this client, of which others are made. */
  private final CompletableFuture<?> kind;

  /** Guards what follows; nothing is completed with it held. */
  private final Object lock = new Object();

  private final ArrayDeque<Offer> offers = new ArrayDeque<>();
  private boolean isPutting;
  private long tailRevision;
  private long tail;

  private WorkQueue(RecipePorts ports, Bytes name) {
    this.ports = ports;
    this.keys = new Keys(Lines.join(name, Lines.SLASH));
    this.kind = ports.client().get(keys.tail()).handle((found, failure) -> null);
  }

  /** The queue of this name. */
  public static WorkQueue of(RecipePorts ports, String name) {
    return new WorkQueue(ports, Bytes.utf8(name));
  }

  /** Where everything is. */
  record Keys(Bytes prefix) {
    Bytes tail() {
      return below("tail");
    }

    Bytes items() {
      return below("items/");
    }

    Bytes claims() {
      return below("claims/");
    }

    Bytes item(long number) {
      return Lines.join(items(), hex(number));
    }

    Bytes claim(long number) {
      return Lines.join(claims(), hex(number));
    }

    Bytes marker(long lease) {
      return Lines.join(below("void/"), Lines.hex(lease));
    }

    /** The number of an item. */
    long number(Bytes item) {
      String digits = item.toUtf8().substring(items().toUtf8().length());
      return Long.parseUnsignedLong(digits, 16);
    }

    /** The item that the claim is on. */
    Bytes itemOf(Bytes claim) {
      byte[] digits = Arrays.copyOfRange(claim.arrayUnsafe(), claims().size(), claim.size());
      return Lines.join(items(), Bytes.wrapUnsafe(digits));
    }

    private Bytes below(String rest) {
      return Lines.join(prefix, Bytes.utf8(rest));
    }

    private static Bytes hex(long number) {
      return Bytes.utf8(String.format("%016x", number));
    }
  }

  /** Something to be put, and who waits for it. */
  private record Offer(Bytes value, CompletableFuture<Long> offered) {}

  /**
   * The first item, as it was found: somebody else may take it at any time.
   *
   * @param number one higher than that of the item before
   */
  public record Item(long number, Bytes value, List<Compare> guards, Op removal) {
    public Item {
      guards = List.copyOf(guards);
    }

    /**
     * The transaction, which also takes the item out of the queue, and does nothing at all if
     * somebody else has it. What it does otherwise says which of its own comparisons failed.
     */
    public Txn takeInto(Txn txn) {
      List<Compare> compares = new ArrayList<>(txn.compares());
      compares.addAll(guards);
      return new Txn(compares, txn.success(), txn.failure()).then(removal);
    }
  }

  Keys keys() {
    return keys;
  }

  /**
   * Puts an item at the end, and says its number. Items that are offered through one object are put
   * in the order in which they were offered; if one fails, those behind it may succeed.
   */
  public CompletableFuture<Long> offer(Bytes value) {
    CompletableFuture<Long> offered = kind.newIncompleteFuture();
    synchronized (lock) {
      offers.add(new Offer(value, offered));
    }
    putNext();
    return offered;
  }

  /** One transaction at a time: our own offers shall not exclude each other. */
  private void putNext() {
    List<Offer> batch = new ArrayList<>();
    synchronized (lock) {
      if (isPutting || offers.isEmpty()) {
        return;
      }
      isPutting = true;
      long bytes = 0;
      while (!offers.isEmpty() && batch.size() < BATCH_MAX) {
        bytes += offers.getFirst().value().size();
        if (bytes > BATCH_BYTES_MAX && !batch.isEmpty()) {
          break;
        }
        batch.add(offers.removeFirst());
      }
    }
    put(batch);
  }

  private void put(List<Offer> batch) {
    List<Op> puts = new ArrayList<>();
    long first;
    Compare isTail;
    synchronized (lock) {
      first = tail;
      isTail = Compare.modRevision(keys.tail()).isEqualTo(tailRevision);
    }
    puts.add(Op.put(keys.tail(), number(first + batch.size())));
    for (int i = 0; i < batch.size(); i++) {
      puts.add(Op.put(keys.item(first + i), batch.get(i).value()));
    }
    Txn txn = new Txn(List.of(isTail), puts, List.of(Op.get(keys.tail())));
    var unused =
        ports
            .client()
            .txn(txn)
            .whenComplete((result, failure) -> wasPut(batch, first, result, failure));
  }

  private void wasPut(
      List<Offer> batch, long first, @Nullable TxnResult result, @Nullable Throwable failure) {
    if (result != null && !result.succeeded()) {
      // Somebody else was faster; now we know the end.
      learn(((OpResult.Range) result.results().get(0)).keyValue());
      put(batch);
      return;
    }
    synchronized (lock) {
      isPutting = false;
      if (result != null) {
        tailRevision = result.header().revision();
        tail = first + batch.size();
      }
    }
    putNext();
    for (int i = 0; i < batch.size(); i++) {
      CompletableFuture<Long> offered = batch.get(i).offered();
      long number = first + i;
      if (failure == null) {
        ports.tell(() -> offered.complete(number));
      } else {
        ports.tell(() -> offered.completeExceptionally(Failures.cause(failure)));
      }
    }
  }

  private void learn(Optional<KeyValue> found) {
    synchronized (lock) {
      tailRevision = found.map(KeyValue::modRevision).orElse(0L);
      tail = found.map(present -> present.value().asByteBuffer().getLong()).orElse(0L);
    }
  }

  private static Bytes number(long number) {
    return Bytes.wrapUnsafe(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  /** The first item that no consumer has taken, if there is one, to be taken in a transaction. */
  public CompletableFuture<Optional<Item>> peek() {
    return kind.thenCompose(known -> firstFree(0, 0))
        .thenCompose(
            found ->
                found.free().isEmpty()
                    ? CompletableFuture.completedFuture(Optional.<Item>empty())
                    : item(found.free().get()));
  }

  private CompletableFuture<Optional<Item>> item(KeyValue found) {
    long number = keys.number(found.key());
    return ports
        .client()
        .get(found.key())
        .thenCompose(
            present -> {
              if (present.keyValue().isEmpty()
                  || present.keyValue().get().createRevision() != found.createRevision()) {
                // Somebody has taken it just now; the next one is the first.
                return peek();
              }
              List<Compare> guards =
                  List.of(
                      Compare.createRevision(found.key()).isEqualTo(found.createRevision()),
                      Compare.version(keys.claim(number)).isEqualTo(0));
              Bytes value = present.keyValue().get().value();
              return CompletableFuture.completedFuture(
                  Optional.of(new Item(number, value, guards, Op.delete(found.key()))));
            });
  }

  /**
   * What was found.
   *
   * @param revision of the first look: what came after it may have been missed
   */
  record Look(long revision, Optional<KeyValue> free) {}

  /**
   * The first item from that number on that is not claimed, without its value; a linearizable look
   * at both, page by page.
   */
  CompletableFuture<Look> firstFree(long from, long since) {
    RangeOptions some = RangeOptions.DEFAULT.withKeysOnly().withoutCount();
    KeyRange items = new KeyRange(keys.item(from), KeyRange.prefix(keys.items()).to());
    KeyRange claims = new KeyRange(keys.claim(from), KeyRange.prefix(keys.claims()).to());
    return ports
        .client()
        .txn(Txn.of(Op.range(items, some.withLimit(PAGE)), Op.range(claims, some.withLimit(PAGE))))
        .thenCompose(
            result -> {
              long revision = since == 0 ? result.header().revision() : since;
              OpResult.Range page = (OpResult.Range) result.results().get(0);
              Set<Bytes> claimed = new HashSet<>();
              for (KeyValue claim : ((OpResult.Range) result.results().get(1)).keyValues()) {
                claimed.add(keys.itemOf(claim.key()));
              }
              for (KeyValue item : page.keyValues()) {
                if (!claimed.contains(item.key())) {
                  return CompletableFuture.completedFuture(new Look(revision, Optional.of(item)));
                }
              }
              if (!page.more()) {
                return CompletableFuture.completedFuture(new Look(revision, Optional.empty()));
              }
              KeyValue last = page.keyValues().get(page.keyValues().size() - 1);
              return firstFree(keys.number(last.key()) + 1, revision);
            });
  }
}
