package io.kvorum.api;

import io.kvorum.api.CallInterceptor.Call;
import io.kvorum.api.CallInterceptor.Ending;
import io.kvorum.api.CallInterceptor.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client each of whose calls is told to an interceptor when it begins and when it ends. Several
 * interceptors: one client around the other. Whoever needs none uses the client itself, which knows
 * nothing of all this.
 *
 * <p>The compound operations are told as what they are made of: {@code create} and {@code
 * compareAndSet} as a {@code txn}, each page of {@code pages} as a {@code range}. What {@link
 * Leases#keepAlive} renews in the background is not told.
 */
public final class InterceptedKvClient implements KvClient {
  private final KvClient client;
  private final Interception interception;

  /**
   * Around that client, which {@link #close} closes.
   *
   * @param nanoTime measures how long calls take: {@code System::nanoTime}
   */
  public InterceptedKvClient(KvClient client, CallInterceptor interceptor, LongSupplier nanoTime) {
    this.client = client;
    this.interception = new Interception(interceptor, nanoTime);
  }

  /** Tells of calls. */
  record Interception(CallInterceptor interceptor, LongSupplier nanoTime) {
    <T> CompletableFuture<T> around(
        String name, @Nullable KeyRange keys, long bytes, Supplier<CompletableFuture<T>> call) {
      Ending ending = interceptor.begins(new Call(name, Optional.ofNullable(keys), bytes));
      long beganAt = nanoTime.getAsLong();
      CompletableFuture<T> called = called(call, ending, beganAt);
      CompletableFuture<T> told = called.newIncompleteFuture();
      var unused =
          called.whenComplete(
              (value, failure) -> {
                try {
                  ending.ended(outcome(beganAt, failure));
                } finally {
                  end(told, value, failure);
                }
              });
      return told;
    }

    private static <T> void end(CompletableFuture<T> future, T value, @Nullable Throwable failure) {
      if (failure == null) {
        future.complete(value);
      } else {
        future.completeExceptionally(failure);
      }
    }

    Watch around(String name, KeyRange keys, Supplier<Watch> call) {
      Ending ending = interceptor.begins(new Call(name, Optional.of(keys), keys.from().size()));
      long beganAt = nanoTime.getAsLong();
      Watch watch = called(call, ending, beganAt);
      var unused =
          watch.ended().whenComplete((end, failure) -> ending.ended(outcome(beganAt, failure)));
      return watch;
    }

    /** A call that is refused on the spot, for its arguments, has ended too. */
    private <R> R called(Supplier<R> call, Ending ending, long beganAt) {
      try {
        return call.get();
      } catch (RuntimeException refused) {
        ending.ended(outcome(beganAt, refused));
        throw refused;
      }
    }

    private Outcome outcome(long beganAt, @Nullable Throwable failure) {
      Throwable why =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      Duration took = Duration.ofNanos(nanoTime.getAsLong() - beganAt);
      return new Outcome(took, Optional.ofNullable(why));
    }
  }

  @Override
  public boolean mayWait() {
    return client.mayWait();
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return around("put", key, value.size(), () -> client.put(key, value, options));
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return around("get", key, 0, () -> client.get(key, options));
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return around("delete", key, 0, () -> client.delete(key, options));
  }

  private <T> CompletableFuture<T> around(
      String name, Bytes key, int valueBytes, Supplier<CompletableFuture<T>> call) {
    KeyRange keys = key.isEmpty() ? null : KeyRange.single(key);
    return interception.around(name, keys, (long) key.size() + valueBytes, call);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return around("deleteRange", range, () -> client.deleteRange(range, options));
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return around("range", range, () -> client.range(range, options));
  }

  private <T> CompletableFuture<T> around(
      String name, KeyRange range, Supplier<CompletableFuture<T>> call) {
    return interception.around(name, range, range.from().size(), call);
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    return interception.around("txn", null, bytes(txn), () -> client.txn(txn, options));
  }

  private static long bytes(Txn txn) {
    long bytes = 0;
    for (Op op : txn.success()) {
      bytes += bytes(op);
    }
    for (Op op : txn.failure()) {
      bytes += bytes(op);
    }
    return bytes;
  }

  private static long bytes(Op op) {
    if (op instanceof Op.Put put) {
      return (long) put.key().size() + put.value().size();
    } else if (op instanceof Op.Append append) {
      return (long) append.key().size() + append.suffix().size();
    } else if (op instanceof Op.Nested nested) {
      return bytes(nested.txn());
    } else if (op instanceof Op.Add add) {
      return add.key().size();
    } else if (op instanceof Op.Range range) {
      return range.range().from().size();
    } else if (op instanceof Op.DeleteRange delete) {
      return delete.range().from().size();
    }
    throw new AssertionError("unknown operation " + op);
  }

  @Override
  public Leases leases() {
    return new InterceptedLeases(client.leases(), interception);
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return interception.around("compact", null, 0, () -> client.compact(revision, options));
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    return interception.around("watch", range, () -> client.watch(range, options, listener));
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    return interception.around(
        "watchWithSnapshot", range, () -> client.watchWithSnapshot(range, options, listener));
  }

  @Override
  public void close() {
    client.close();
  }
}
