package io.kvorum.client.recipes;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.KeyValue;
import io.kvorum.api.KvClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The instances of one service, as far as this process knows; see {@link ServiceRegistry} for what
 * that means. Thread-safe; looking costs no call to the cluster.
 */
public final class ServiceView implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceView.class);

  private final LiveRange<List<ServiceInstance>> range;

  ServiceView(RecipePorts ports, Bytes prefix, Consumer<List<ServiceInstance>> listener) {
    int prefixBytes = prefix.size();
    this.range =
        new LiveRange<>(
            ports, KeyRange.prefix(prefix), all -> decoded(all.values(), prefixBytes), listener);
  }

  static CompletableFuture<List<ServiceInstance>> read(KvClient client, Bytes prefix) {
    return client
        .range(KeyRange.prefix(prefix))
        .thenApply(found -> decoded(found.keyValues(), prefix.size()));
  }

  /** One that cannot be read must not hide the others. */
  private static List<ServiceInstance> decoded(Collection<KeyValue> found, int prefixBytes) {
    List<ServiceInstance> instances = new ArrayList<>();
    for (KeyValue each : found) {
      Bytes key = each.key();
      byte[] id = Arrays.copyOfRange(key.arrayUnsafe(), prefixBytes, key.size());
      try {
        instances.add(ServiceInstance.decode(Bytes.wrapUnsafe(id).toUtf8(), each.value()));
      } catch (IllegalArgumentException unreadable) {
        LOG.warn("{} is no instance of a service: {}", key, unreadable.getMessage());
      }
    }
    return List.copyOf(instances);
  }

  /** Completes when the instances are known for the first time. */
  public CompletableFuture<Void> started() {
    return range.started();
  }

  /** All instances that are registered, in order of id; none before they are known. */
  public List<ServiceInstance> instances() {
    LiveRange.State<List<ServiceInstance>> state = range.state();
    return state == null ? List.of() : state.value();
  }

  /** One of those that are up; empty if there is none. */
  public Optional<ServiceInstance> pick(Picker picker) {
    return picker.pick(
        instances().stream()
            .filter(instance -> instance.health() == ServiceInstance.Health.UP)
            .toList());
  }

  /** Up to which revision everything is in the view; 0 before the first. */
  public long revision() {
    LiveRange.State<List<ServiceInstance>> state = range.state();
    return state == null ? 0 : state.revision();
  }

  /** Ends the view. The listener may be told once more, if it is just being told. */
  @Override
  public void close() {
    range.close();
  }
}
