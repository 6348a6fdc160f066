package io.kvorum.client.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.api.Bytes;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * One instance of a service, as it registers itself.
 *
 * <p>As a value it is text, like a query of a URL: {@code
 * address=10.0.0.1%3A8080&health=UP&meta.zone=a}.
 *
 * @param id tells the instances of a service apart; not empty, without a slash
 * @param address where it is reached, in whatever form clients understand
 * @param metadata what else clients should know
 */
public record ServiceInstance(
    String id, String address, Health health, SortedMap<String, String> metadata) {
  private static final String META = "meta.";

  /** How an instance says that it is. */
  public enum Health {
    /** Serves, and is picked. */
    UP,
    /** Serves what it has begun, and wants no more: not picked. */
    DRAINING,
    /** Does not serve: not picked. */
    DOWN
  }

  public ServiceInstance {
    if (id.isEmpty() || id.contains("/")) {
      throw new IllegalArgumentException("an id is not empty and has no slash: '" + id + "'");
    }
    metadata = Collections.unmodifiableSortedMap(new TreeMap<>(metadata));
  }

  /** One that is up, without metadata. */
  public static ServiceInstance of(String id, String address) {
    return new ServiceInstance(id, address, Health.UP, new TreeMap<>());
  }

  public ServiceInstance withHealth(Health other) {
    return new ServiceInstance(id, address, other, metadata);
  }

  /** With one more entry, or another value of one. */
  public ServiceInstance with(String name, String value) {
    TreeMap<String, String> more = new TreeMap<>(metadata);
    more.put(name, value);
    return new ServiceInstance(id, address, health, more);
  }

  Bytes encoded() {
    StringJoiner text = new StringJoiner("&");
    text.add("address=" + URLEncoder.encode(address, UTF_8));
    text.add("health=" + health);
    for (Map.Entry<String, String> entry : metadata.entrySet()) {
      String name = URLEncoder.encode(META + entry.getKey(), UTF_8);
      text.add(name + "=" + URLEncoder.encode(entry.getValue(), UTF_8));
    }
    return Bytes.utf8(text.toString());
  }

  /**
   * The instance that a value describes. Fields that are not known are passed over.
   *
   * @throws IllegalArgumentException if it describes none
   */
  static ServiceInstance decode(String id, Bytes value) {
    TreeMap<String, String> fields = new TreeMap<>();
    for (String field : value.toUtf8().split("&", -1)) {
      int equals = field.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("a field without a value");
      }
      String name = URLDecoder.decode(field.substring(0, equals), UTF_8);
      fields.put(name, URLDecoder.decode(field.substring(equals + 1), UTF_8));
    }
    String address = fields.get("address");
    String health = fields.get("health");
    if (address == null || health == null) {
      throw new IllegalArgumentException("an address or the health is missing");
    }
    TreeMap<String, String> metadata = new TreeMap<>();
    fields.tailMap(META).entrySet().stream()
        .takeWhile(entry -> entry.getKey().startsWith(META))
        .forEach(entry -> metadata.put(entry.getKey().substring(META.length()), entry.getValue()));
    return new ServiceInstance(id, address, Health.valueOf(health), metadata);
  }
}
