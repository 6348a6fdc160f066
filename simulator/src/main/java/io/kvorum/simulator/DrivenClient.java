package io.kvorum.simulator;

import io.kvorum.api.Bytes;
import io.kvorum.api.CompactOptions;
import io.kvorum.api.CompactResult;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Leases;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnOptions;
import io.kvorum.api.TxnResult;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchListener;
import io.kvorum.api.WatchOptions;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A client whose futures move the simulation on when somebody waits for them. */
final class DrivenClient implements KvClient {
  private final KvClient client;
  private final Driver driver;

  DrivenClient(KvClient client, Driver driver) {
    this.client = client;
    this.driver = driver;
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return driven(() -> client.put(key, value, options));
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return driven(() -> client.get(key, options));
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return driven(() -> client.delete(key, options));
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return driven(() -> client.deleteRange(range, options));
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return driven(() -> client.range(range, options));
  }

  @Override
  public CompletableFuture<TxnResult> txn(Txn txn, TxnOptions options) {
    return driven(() -> client.txn(txn, options));
  }

  @Override
  public Leases leases() {
    return new DrivenLeases(client.leases(), driver);
  }

  @Override
  public CompletableFuture<CompactResult> compact(long revision, CompactOptions options) {
    return driven(() -> client.compact(revision, options));
  }

  private <T> CompletableFuture<T> driven(Supplier<CompletableFuture<T>> call) {
    driver.requireOwner();
    return DrivenFuture.of(call.get(), driver);
  }

  @Override
  public Watch watch(KeyRange range, WatchOptions options, WatchListener listener) {
    driver.requireOwner();
    return new DrivenWatch(client.watch(range, options, listener), driver);
  }

  @Override
  public Watch watchWithSnapshot(KeyRange range, WatchOptions options, SnapshotListener listener) {
    driver.requireOwner();
    return new DrivenWatch(client.watchWithSnapshot(range, options, listener), driver);
  }

  @Override
  public void close() {
    client.close();
  }
}
