package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.SnapshotListener;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.api.WatchEvents;
import io.kvorum.api.WatchOptions;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who is where: a copy that one makes oneself, of what is there now and of every change behind it,
 * without a gap between the two. (Where a copy is all that is wanted, CachedView is one.)
 */
public final class Whereabouts implements AutoCloseable {
  private static final KeyRange RANGE = KeyRange.prefix(Bytes.utf8("where/"));

  private final Map<String, String> placeByName = new TreeMap<>();
  private final Watch watch;

  public Whereabouts(KvClient kv) {
    // client: snapshot
    SnapshotListener listener =
        new SnapshotListener() {
          @Override
          public void snapshot(long revision, List<KeyValue> keyValues) {
            replace(keyValues); // at first, and again if compaction has overtaken the watch
          }

          @Override
          public void events(WatchEvents events) {
            events.events().forEach(event -> change(event)); // everything behind it, in order
          }
        };
    watch = kv.watchWithSnapshot(RANGE, WatchOptions.DEFAULT, listener);
    // client: end
  }

  private synchronized void replace(List<KeyValue> all) {
    placeByName.clear();
    all.forEach(one -> placeByName.put(name(one), one.value().toUtf8()));
  }

  private synchronized void change(WatchEvent event) {
    if (event.type() == WatchEvent.Type.DELETE) {
      placeByName.remove(name(event.keyValue()));
    } else {
      placeByName.put(name(event.keyValue()), event.keyValue().value().toUtf8());
    }
  }

  private static String name(KeyValue one) {
    return one.key().toUtf8().substring("where/".length());
  }

  /** As far as has been heard. */
  public synchronized Map<String, String> all() {
    return Map.copyOf(placeByName);
  }

  @Override
  public void close() {
    watch.close();
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config);
        Whereabouts where = new Whereabouts(client)) {
      // Completes behind the first snapshot.
      long unused = where.watch.started().join();
      System.out.println(where.all());
    }
  }
}
