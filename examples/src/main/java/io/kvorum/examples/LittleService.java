package io.kvorum.examples;

import io.kvorum.api.KvClient;
import io.kvorum.client.ClientConfig;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.client.recipes.Picker;
import io.kvorum.client.recipes.RecipePorts;
import io.kvorum.client.recipes.Registration;
import io.kvorum.client.recipes.ServiceInstance;
import io.kvorum.client.recipes.ServiceRegistry;
import io.kvorum.client.recipes.ServiceView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * One of several services in a registry: it says where it is, and knows where the others are. When
 * it dies, the others know after its TTL; when the leader of the cluster dies, nobody notices.
 */
public final class LittleService implements AutoCloseable {
  private static final Duration TTL = Duration.ofSeconds(5);

  private final Registration me;
  private final Map<String, ServiceView> others = new TreeMap<>();
  private final Picker picker = Picker.roundRobin();

  /** Registers at once, and looks for the others. */
  public LittleService(KvClient kv, String name, String address, List<String> lookingFor) {
    ServiceRegistry registry = ServiceRegistry.of(RecipePorts.of(kv), "services");
    me = registry.register(name, ServiceInstance.of(name + "@" + address, address), TTL);
    for (String other : lookingFor) {
      others.put(other, registry.discover(other));
    }
  }

  /** Completes when it is registered and has looked for the others once. */
  public CompletableFuture<Void> ready() {
    List<CompletableFuture<?>> all = new ArrayList<>(List.of(me.registered()));
    others.values().forEach(view -> all.add(view.started()));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  /** Where an instance of the other service is, from memory; each time the next one. */
  public Optional<String> addressOf(String other) {
    return Optional.ofNullable(others.get(other))
        .flatMap(view -> view.pick(picker))
        .map(ServiceInstance::address);
  }

  @Override
  public void close() {
    me.close();
    others.values().forEach(ServiceView::close);
  }

  public static void main(String[] args) {
    String endpoints = args.length > 0 ? args[0] : "127.0.0.1:7400";
    ClientConfig config = ClientConfig.builder().endpoints(endpoints).build();
    try (RemoteKvClient kv = RemoteKvClient.connect(config);
        LittleService users = new LittleService(kv, "users", "10.0.0.1:80", List.of("orders"));
        LittleService orders = new LittleService(kv, "orders", "10.0.0.2:80", List.of("users"))) {
      users.ready().join();
      orders.ready().join();
      System.out.println("orders finds users at " + orders.addressOf("users").orElse("no place"));
    }
  }
}
