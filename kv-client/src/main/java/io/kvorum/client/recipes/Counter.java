package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.OpResult;
import io.kvorum.api.Txn;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A number that many change: 8 bytes, big-endian, two's complement, in a key; one that does not
 * exist counts as 0.
 *
 * <p><b>Guarantees.</b> Each operation is linearizable, and additions do not contend: each is one
 * transaction, whatever others do. Nothing is held between two operations, so pauses and partitions
 * cost time, and the answers of those that were under way.
 *
 * <p><b>Not guaranteed:</b> that an addition whose answer was lost was not made. It fails with
 * {@link io.kvorum.api.KvException.OutcomeUnknown}, and is never made twice; who needs to know adds
 * in a transaction of its own, together with a key that tells ({@link #add(Txn, long)}).
 */
public final class Counter {
  private final KvClient client;
  private final Bytes key;

  private Counter(KvClient client, Bytes key) {
    this.client = client;
    this.key = key;
  }

  /** The counter in this key. */
  public static Counter of(KvClient client, String key) {
    return of(client, Bytes.utf8(key));
  }

  /** The counter in this key. */
  public static Counter of(KvClient client, Bytes key) {
    return new Counter(client, key);
  }

  /**
   * Adds, and says what the number is then. Rejected with {@link
   * io.kvorum.api.KvException.Reason#COUNTER_OVERFLOW} beyond 64 bits.
   */
  public CompletableFuture<Long> add(long delta) {
    return client
        .txn(Txn.of(Op.add(key, delta)))
        .thenApply(result -> ((OpResult.Add) result.results().get(0)).value());
  }

  /** Adds 1. */
  public CompletableFuture<Long> increment() {
    return add(1);
  }

  /** The transaction, which adds to this counter as well, if its comparisons hold. */
  public Txn add(Txn txn, long delta) {
    return txn.then(Op.add(key, delta));
  }

  /** The number now. */
  public CompletableFuture<Long> value() {
    return client.get(key).thenApply(found -> found.value().map(Counter::number).orElse(0L));
  }

  /** Sets it if it is what the caller expects; says whether it was. */
  public CompletableFuture<Boolean> compareAndSet(long expected, long number) {
    Op put = Op.put(key, bytes(number));
    Txn set = Txn.when(Compare.value(key).isEqualTo(bytes(expected))).then(put);
    if (expected != 0) {
      return client.txn(set).thenApply(result -> result.succeeded());
    }
    Txn absent = Txn.when(Compare.version(key).isEqualTo(0)).then(put);
    return client
        .txn(set.otherwise(Op.txn(absent)))
        .thenApply(
            result ->
                result.succeeded() || ((OpResult.Nested) result.results().get(0)).succeeded());
  }

  private static Bytes bytes(long number) {
    return Bytes.wrapUnsafe(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  private static long number(Bytes value) {
    if (value.size() != Long.BYTES) {
      throw new IllegalStateException("a counter has 8 bytes, not " + value.size());
    }
    return value.asByteBuffer().getLong();
  }
}
