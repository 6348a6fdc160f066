package io.kvorum.bench.peer.rheakv;

import com.alipay.sofa.jraft.rhea.client.DefaultRheaKVStore;
import com.alipay.sofa.jraft.rhea.client.RheaKVStore;
import com.alipay.sofa.jraft.rhea.options.PlacementDriverOptions;
import com.alipay.sofa.jraft.rhea.options.RheaKVStoreOptions;
import com.alipay.sofa.jraft.rhea.options.configured.MultiRegionRouteTableOptionsConfigured;
import com.alipay.sofa.jraft.rhea.options.configured.PlacementDriverOptionsConfigured;
import com.alipay.sofa.jraft.rhea.options.configured.RheaKVStoreOptionsConfigured;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Clients of RheaKV, with their defaults: they batch gets and puts. */
public final class RheaKvStores implements StoreFactory {
  /** Of all servers and clients. */
  static final String CLUSTER = "bench";

  /** What an example of theirs calls the default region. */
  private static final long DEFAULT_REGION = -1;

  @Override
  public Store open(String endpoints) {
    PlacementDriverOptions placement =
        PlacementDriverOptionsConfigured.newConfigured()
            .withFake(true)
            .withRegionRouteTableOptionsList(
                MultiRegionRouteTableOptionsConfigured.newConfigured()
                    .withInitialServerList(DEFAULT_REGION, endpoints)
                    .config())
            .config();
    RheaKVStoreOptions options =
        RheaKVStoreOptionsConfigured.newConfigured()
            .withClusterName(CLUSTER)
            .withInitialServerList(endpoints)
            .withPlacementDriverOptions(placement)
            .config();
    DefaultRheaKVStore store = new DefaultRheaKVStore();
    if (!store.init(options)) {
      throw new IllegalStateException("RheaKV's client does not start");
    }
    return new RheaKvStore(store);
  }

  private record RheaKvStore(RheaKVStore store) implements Store {
    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      return store.put(key.bytes(), value).thenAccept(RheaKvStore::check);
    }

    private static void check(Boolean done) {
      if (!done) {
        throw new IllegalStateException("the put was refused");
      }
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      return store.get(key.bytes()).thenApply(RheaKvStore::found);
    }

    private static byte @Nullable [] found(byte @Nullable [] value) {
      return value;
    }

    @Override
    public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
      return store.compareAndPut(key.bytes(), expected, value);
    }

    @Override
    public void close() {
      store.shutdown();
    }
  }
}
