package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Where services say where they are, and clients find them.
 *
 * <pre>{@code
 * ServiceRegistry registry = ServiceRegistry.of(RecipePorts.of(client), "services");
 * Registration me = registry.register("billing", ServiceInstance.of("b-1", "10.0.0.1:8080"), ttl);
 * ServiceView billing = registry.discover("billing");
 * Optional<ServiceInstance> one = billing.pick(Picker.roundRobin());
 * }</pre>
 *
 * <p><b>Guarantees.</b> A registration hangs on a lease of its own: an instance that crashes, or is
 * cut off for longer than the TTL, disappears after the TTL and a little more. One that comes back,
 * or whose key somebody has deleted, registers again by itself, with what it said last. A view
 * never misses a change: after a disconnection it catches up, and where history has been compacted
 * it reads all anew.
 *
 * <p><b>Not guaranteed:</b> that an instance in a view answers. A view that is cut off from the
 * cluster shows what it knew last, since an old address is better than none; an instance may have
 * died within its TTL. So clients try another instance when one does not answer.
 *
 * <p><b>Keys:</b> {@code <root>/<service>/<instance>}; the value is described at {@link
 * ServiceInstance}.
 */
public final class ServiceRegistry {
  private final RecipePorts ports;
  private final Bytes root;

  private ServiceRegistry(RecipePorts ports, Bytes root) {
    this.ports = ports;
    this.root = root;
  }

  /** The registry below this key. */
  public static ServiceRegistry of(RecipePorts ports, String root) {
    return new ServiceRegistry(ports, Lines.join(Bytes.utf8(root), Lines.SLASH));
  }

  /**
   * Registers an instance, and keeps it registered until the registration is closed. Whoever
   * registers the same id takes its place.
   *
   * @param ttl for how long it is still found after a crash
   */
  public Registration register(String service, ServiceInstance instance, Duration ttl) {
    return Registration.begin(ports, prefix(service), instance, ttl);
  }

  /** Follows the instances of a service, until the view is closed. */
  public ServiceView discover(String service) {
    return discover(service, instances -> {});
  }

  /**
   * Follows the instances of a service, until the view is closed.
   *
   * @param listener is told of all instances, in order of id, when they are known and when
   *     something has changed; one call at a time, on the executor for callbacks. What changes
   *     while it is busy it is told at once, afterwards
   */
  public ServiceView discover(String service, Consumer<List<ServiceInstance>> listener) {
    return new ServiceView(ports, prefix(service), listener);
  }

  /** The instances of a service, now; a linearizable read. */
  public CompletableFuture<List<ServiceInstance>> instances(String service) {
    Bytes prefix = prefix(service);
    return ServiceView.read(ports.client(), prefix);
  }

  private Bytes prefix(String service) {
    if (service.isEmpty() || service.contains("/")) {
      throw new IllegalArgumentException(
          "the name of a service is not empty and has no slash: '" + service + "'");
    }
    return Lines.join(root, Bytes.utf8(service), Lines.SLASH);
  }
}
