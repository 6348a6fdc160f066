package io.kvorum.bench.peer.etcd;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.kvorum.bench.store.ChangeListener;
import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Clients of etcd: jetcd with its defaults, which spreads calls over all members. */
public final class EtcdStores implements StoreFactory {
  @Override
  public Store open(String endpoints) {
    Client client = Client.builder().endpoints(endpoints.split(",", -1)).build();
    return new EtcdStore(client, client.getKVClient());
  }

  private record EtcdStore(Client client, KV kv) implements Store {
    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      return kv.put(ByteSequence.from(key.bytes()), ByteSequence.from(value))
          .thenAccept(done -> {});
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      return kv.get(ByteSequence.from(key.bytes()))
          .thenApply(
              found ->
                  found.getKvs().isEmpty() ? null : found.getKvs().get(0).getValue().getBytes());
    }

    @Override
    public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
      ByteSequence bytes = ByteSequence.from(key.bytes());
      Cmp holds = new Cmp(bytes, Cmp.Op.EQUAL, CmpTarget.value(ByteSequence.from(expected)));
      return kv.txn()
          .If(holds)
          .Then(Op.put(bytes, ByteSequence.from(value), PutOption.DEFAULT))
          .commit()
          .thenApply(TxnResponse::isSucceeded);
    }

    /** From the next revision on; the client does not say when the members have heard of it. */
    @Override
    public void watch(ChangeListener listener) throws Exception {
      ByteSequence prefix = ByteSequence.from(Key.PREFIX, US_ASCII);
      long revision = kv.get(prefix).get().getHeader().getRevision();
      WatchOption option = WatchOption.builder().isPrefix(true).withRevision(revision + 1).build();
      client
          .getWatchClient()
          .watch(
              prefix,
              option,
              Watch.listener(told -> told.getEvents().forEach(event -> tell(listener, event))));
    }

    private static void tell(ChangeListener listener, WatchEvent event) {
      listener.changed(
          Key.numberOf(event.getKeyValue().getKey().toString(US_ASCII)),
          event.getKeyValue().getValue().getBytes());
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
