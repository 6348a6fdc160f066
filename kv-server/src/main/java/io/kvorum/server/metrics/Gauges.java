package io.kvorum.server.metrics;

import io.kvorum.api.NodeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.function.ToDoubleFunction;

/** Registers gauges that read the status of one node. */
final class Gauges {
  private final MeterRegistry registry;
  private final Tags tags;
  private final FreshStatus status;

  Gauges(MeterRegistry registry, Tags tags, FreshStatus status) {
    this.registry = registry;
    this.tags = tags;
    this.status = status;
  }

  void add(String name, String description, ToDoubleFunction<NodeStatus> value) {
    finish(of(name, description, value));
  }

  void addBytes(String name, String description, ToDoubleFunction<NodeStatus> value) {
    finish(of(name, description, value).baseUnit(BaseUnits.BYTES));
  }

  /** How old all of the others are. */
  void age() {
    finish(
        Gauge.builder("kvorum.status.age", status, FreshStatus::ageSeconds)
            .description("how old the figures of the node are")
            .baseUnit("seconds"));
  }

  private Gauge.Builder<FreshStatus> of(
      String name, String description, ToDoubleFunction<NodeStatus> value) {
    return Gauge.builder(name, status, fresh -> read(fresh, value)).description(description);
  }

  private static double read(FreshStatus fresh, ToDoubleFunction<NodeStatus> value) {
    NodeStatus newest = fresh.newest();
    return newest == null ? Double.NaN : value.applyAsDouble(newest);
  }

  private void finish(Gauge.Builder<FreshStatus> gauge) {
    gauge.tags(tags).strongReference(true).register(registry);
  }
}
