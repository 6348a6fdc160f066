package io.kvorum.simulator.junit;

import io.kvorum.api.Bytes;
import io.kvorum.api.DeleteOptions;
import io.kvorum.api.DeleteResult;
import io.kvorum.api.GetOptions;
import io.kvorum.api.GetResult;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.PutOptions;
import io.kvorum.api.PutResult;
import io.kvorum.api.RangeOptions;
import io.kvorum.api.RangeResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** A client whose futures move the simulation on when somebody waits for them. */
final class DrivenClient implements KvClient {
  private final KvClient client;
  private final BooleanSupplier step;

  DrivenClient(KvClient client, BooleanSupplier step) {
    this.client = client;
    this.step = step;
  }

  @Override
  public CompletableFuture<PutResult> put(Bytes key, Bytes value, PutOptions options) {
    return DrivenFuture.of(client.put(key, value, options), step);
  }

  @Override
  public CompletableFuture<GetResult> get(Bytes key, GetOptions options) {
    return DrivenFuture.of(client.get(key, options), step);
  }

  @Override
  public CompletableFuture<DeleteResult> delete(Bytes key, DeleteOptions options) {
    return DrivenFuture.of(client.delete(key, options), step);
  }

  @Override
  public CompletableFuture<DeleteResult> deleteRange(KeyRange range, DeleteOptions options) {
    return DrivenFuture.of(client.deleteRange(range, options), step);
  }

  @Override
  public CompletableFuture<RangeResult> range(KeyRange range, RangeOptions options) {
    return DrivenFuture.of(client.range(range, options), step);
  }

  @Override
  public void close() {
    client.close();
  }
}
