package io.kvorum.bench.peer.kvorum;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.api.TxnResult;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchOptions;
import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Clients of Kvorum, with their defaults. */
public final class KvorumStores implements StoreFactory {
  private static final long WATCH_LIMIT_SECONDS = 30;

  @Override
  public Store open(String endpoints) {
    return new KvorumStore(
        RemoteKvClient.connect(ClientConfig.builder().endpoints(endpoints).build()));
  }

  private record KvorumStore(KvClient client) implements Store {
    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      return client
          .put(Bytes.wrapUnsafe(key.bytes()), Bytes.wrapUnsafe(value))
          .thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      return client
          .get(Bytes.wrapUnsafe(key.bytes()))
          .thenApply(found -> found.value().map(Bytes::arrayUnsafe).orElse(null));
    }

    @Override
    public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
      Bytes bytes = Bytes.wrapUnsafe(key.bytes());
      return client
          .txn(
              Txn.when(Compare.value(bytes).isEqualTo(Bytes.wrapUnsafe(expected)))
                  .then(Op.put(bytes, Bytes.wrapUnsafe(value))))
          .thenApply(TxnResult::succeeded);
    }

    @Override
    public void watch(ChangeListener listener) throws Exception {
      client
          .watch(
              KeyRange.prefix(Bytes.utf8(Key.PREFIX)),
              WatchOptions.DEFAULT,
              told -> told.events().forEach(event -> tell(listener, event)))
          .started()
          .get(WATCH_LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static void tell(ChangeListener listener, WatchEvent event) {
      listener.changed(
          Key.numberOf(event.keyValue().key().toUtf8()), event.keyValue().value().arrayUnsafe());
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
