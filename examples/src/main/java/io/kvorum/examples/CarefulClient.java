package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.KvException;
import io.kvorum.api.ReadConsistency;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.cache.CachedView;
import io.kvorum.client.cache.ViewSnapshot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What docs/CLIENT.md shows: settings, consistency, and what to do about each exception. */
public final class CarefulClient {
  private static final int TRIES = 5;

  private CarefulClient() {}

  /** A client for a slow network. */
  static RemoteKvClient connect(String endpoints) {
    // client: config
    ClientConfig config =
        ClientConfig.builder()
            .endpoints(endpoints)
            .requestTimeout(Duration.ofSeconds(10))
            .connectTimeout(Duration.ofSeconds(4))
            .silence(Duration.ofSeconds(2))
            .clientName("billing")
            .build();
    RemoteKvClient client = RemoteKvClient.connect(config);
    // client: end
    return client;
  }

  /** A value that may be a second old, from whichever member answers. */
  static Optional<Bytes> nearly(KvClient client, Bytes key) {
    // client: consistency
    ReadConsistency nearly = ReadConsistency.boundedStaleness(Duration.ofSeconds(1));
    Optional<Bytes> value =
        client.blocking().get(key, GetOptions.DEFAULT.withConsistency(nearly)).value();
    // client: end
    return value;
  }

  /** A setting as a copy in memory has it, at least as new as one's own put. */
  static Optional<Bytes> setting(KvClient client, Bytes key, Bytes value) {
    // client: cache
    KeyRange range = KeyRange.prefix(Bytes.utf8("config/"));
    try (CachedView view = CachedView.open(client, range).ready().join()) { // has read its range
      long written = client.blocking().put(key, value).header().revision();
      ViewSnapshot now = view.awaitRevision(written).join(); // without that: view.now(), at once
      return now.get(key).map(KeyValue::value); // all of it as of one revision, now.age() old
    }
    // client: end
  }

  /** Puts; again where that is certainly not done, and looks where it is not known. */
  static boolean put(KvClient client, Bytes key, Bytes value) {
    // client: exceptions
    for (int i = 0; i < TRIES; i++) {
      try {
        client.blocking().put(key, value);
        return true;
      } catch (KvException.ClientClosed closed) {
        throw closed; // this client never will
      } catch (KvException.Unavailable certainlyNot) {
        System.out.println("again, not executed: " + certainlyNot.getMessage());
      } catch (KvException.OutcomeUnknown maybe) {
        if (client.blocking().get(key).value().equals(Optional.of(value))) {
          return true;
        } // else it was not executed, not yet, or overwritten: this put may be made twice
      } // Rejected says that the call itself is wrong, and goes on to the caller
    }
    return false;
    // client: end
  }

  /** Goes on in callbacks, none of which waits. */
  static CompletableFuture<Long> copy(KvClient client, Bytes from, Bytes to) {
    // client: callbacks
    CompletableFuture<Long> revision =
        client
            .get(from)
            .thenCompose(found -> client.put(to, found.value().orElse(Bytes.EMPTY)))
            .thenApply(put -> put.header().revision());
    // client: end
    return revision;
  }

  public static void main(String[] args) {
    try (RemoteKvClient client = connect(args.length > 0 ? args[0] : "127.0.0.1:7400")) {
      Bytes key = Bytes.utf8("careful");
      System.out.println("put: " + put(client, key, Bytes.utf8("yes")));
      System.out.println("revision of the copy: " + copy(client, key, Bytes.utf8("copy")).join());
      Bytes color = Bytes.utf8("config/color");
      System.out.println("copied: " + setting(client, color, Bytes.utf8("blue")).orElseThrow());
      System.out.println("nearly: " + nearly(client, key).map(Bytes::toUtf8).orElse("nothing"));
    }
  }
}
