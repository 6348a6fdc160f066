package io.kvorum.bench.peer.ratis;

import io.kvorum.bench.store.Key;
import io.kvorum.bench.store.Store;
import io.kvorum.bench.store.StoreFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** Clients of the map, with their defaults but for how many calls they may have under way. */
public final class RatisStores implements StoreFactory {
  /** By default 100 calls, and further ones wait for these. */
  static final int OUTSTANDING_MAX = 16_384;

  @Override
  public Store open(String endpoints) {
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Async.setOutstandingRequestsMax(properties, OUTSTANDING_MAX);
    return new RatisStore(
        RaftClient.newBuilder()
            .setProperties(properties)
            .setRaftGroup(RatisGroup.of(endpoints))
            .build());
  }

  private record RatisStore(RaftClient client) implements Store {
    @Override
    public CompletableFuture<Void> put(Key key, byte[] value) {
      return client.async().send(RatisMessage.of(key.bytes(), value)).thenAccept(RatisStore::check);
    }

    private static void check(RaftClientReply reply) {
      if (!content(reply).equals(RatisMessage.DONE)) {
        throw new IllegalStateException("the put was refused");
      }
    }

    @Override
    public CompletableFuture<byte @Nullable []> get(Key key) {
      return client
          .async()
          .sendReadOnly(RatisMessage.of(key.bytes()))
          .thenApply(RatisStore::content)
          .thenApply(value -> value.isEmpty() ? null : value.toByteArray());
    }

    @Override
    public CompletableFuture<Boolean> swap(Key key, byte[] expected, byte[] value) {
      return client
          .async()
          .send(RatisMessage.of(key.bytes(), expected, value))
          .thenApply(reply -> content(reply).equals(RatisMessage.DONE));
    }

    private static ByteString content(RaftClientReply reply) {
      if (!reply.isSuccess()) {
        throw new IllegalStateException(String.valueOf(reply.getException()));
      }
      return reply.getMessage().getContent();
    }

    @Override
    public void close() {
      try {
        client.close();
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }
}
