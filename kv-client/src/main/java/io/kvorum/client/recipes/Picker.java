package io.kvorum.client.recipes;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Chooses which instance of a service gets the next request. Thread-safe. */
@FunctionalInterface
public interface Picker {
  /** One of these, which are in order of id; empty if there is none. */
  Optional<ServiceInstance> pick(List<ServiceInstance> instances);

  /** One after the other. */
  static Picker roundRobin() {
    AtomicLong next = new AtomicLong();
    return instances ->
        instances.isEmpty()
            ? Optional.empty()
            : Optional.of(
                instances.get(
                    (int) Long.remainderUnsigned(next.getAndIncrement(), instances.size())));
  }

  /**
   * Any, each with the same probability.
   *
   * @param random is used by one thread at a time
   */
  static Picker random(RandomGenerator random) {
    Object lock = new Object();
    return instances -> {
      if (instances.isEmpty()) {
        return Optional.empty();
      }
      synchronized (lock) {
        return Optional.of(instances.get(random.nextInt(instances.size())));
      }
    };
  }
}
