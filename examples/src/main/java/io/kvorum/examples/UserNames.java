package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KvClient;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.cache.PointCache;
import java.util.Optional;

/**
 * Names of users, of whom there are more than fit into memory: those that are asked for are kept,
 * and never older than the changes that were heard of.
 */
public final class UserNames implements AutoCloseable {
  private static final String PREFIX = "users/";

  private final KvClient kv;
  private final PointCache cache;

  public UserNames(KvClient kv) {
    this.kv = kv;
    this.cache = PointCache.open(kv, KeyRange.prefix(Bytes.utf8(PREFIX)));
  }

  private static Bytes key(String id) {
    return Bytes.utf8(PREFIX + id);
  }

  /** The name: from memory, or the first time from the cluster. */
  public Optional<String> name(String id) {
    return cache.get(key(id)).join().value().map(Bytes::toUtf8);
  }

  /** The name with all that was acknowledged before, whoever changed it. */
  public Optional<String> nameNow(String id) {
    return cache.linearizable(key(id)).join().value().map(Bytes::toUtf8);
  }

  /** Changes a name; when this returns, {@link #name} knows. */
  public void rename(String id, String name) {
    long revision = kv.blocking().put(key(id), Bytes.utf8(name)).header().revision();
    long unused = cache.awaitRevision(revision).join();
  }

  @Override
  public void close() {
    cache.close();
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config);
        UserNames users = new UserNames(client)) {
      users.rename("7", "Ann");
      System.out.println("user 7 is " + users.name("7").orElse("nobody"));
    }
  }
}
