package io.kvorum.examples;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchEvent;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.cache.CachedView;
import io.kvorum.client.cache.ViewSnapshot;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Settings that all processes share and read from memory: always those of one revision, and one's
 * own changes at once.
 */
public final class ConfigWatcher implements AutoCloseable {
  private static final String PREFIX = "config/";

  private final KvClient kv;
  private final CachedView settings;
  private final Watch watch;

  /**
   * Reads the settings, then follows them.
   *
   * @param changed told of each change from now on: name and value, which is empty for a removal
   */
  public ConfigWatcher(KvClient kv, BiConsumer<String, String> changed) {
    this.kv = kv;
    KeyRange range = KeyRange.prefix(Bytes.utf8(PREFIX));
    this.settings = CachedView.open(kv, range).ready().join();
    this.watch = kv.watch(range, events -> events.events().forEach(event -> tell(event, changed)));
    // Only a watch that has begun misses nothing from here on.
    long unused = watch.started().join();
  }

  private static void tell(WatchEvent event, BiConsumer<String, String> changed) {
    changed.accept(name(event.keyValue()), event.keyValue().value().toUtf8());
  }

  private static String name(KeyValue setting) {
    return setting.key().toUtf8().substring(PREFIX.length());
  }

  /** A setting, from memory. */
  public String get(String name, String otherwise) {
    return settings
        .get(Bytes.utf8(PREFIX + name))
        .map(KeyValue::value)
        .map(Bytes::toUtf8)
        .orElse(otherwise);
  }

  /** All settings as of one revision: two that were changed together are never seen apart. */
  public Map<String, String> all() {
    Map<String, String> all = new TreeMap<>();
    settings.now().keyValues().values().forEach(one -> all.put(name(one), one.value().toUtf8()));
    return all;
  }

  /** Changes a setting; when this returns, {@link #get} knows. */
  public void set(String name, String value) {
    long revision =
        kv.blocking().put(Bytes.utf8(PREFIX + name), Bytes.utf8(value)).header().revision();
    ViewSnapshot unused = settings.awaitRevision(revision).join();
  }

  @Override
  public void close() {
    watch.close();
    settings.close();
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient client = RemoteKvClient.connect(config);
        ConfigWatcher settings =
            new ConfigWatcher(
                client, (name, value) -> System.out.println(name + " is " + value + " now"))) {
      settings.set("color", "blue");
      System.out.println(settings.get("color", "none") + " of " + settings.all());
    }
  }
}
