package io.kvorum.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import io.kvorum.api.KeyRange;
import io.kvorum.api.NodeStatus;
import io.kvorum.api.Watch;
import io.kvorum.api.WatchOptions;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import io.kvorum.testkit.tidy.Tidy;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of a node that runs. */
class NodeMetricsTest {
  @TempDir Path directory;

  private final HandClock clock = new HandClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

  private long value(String name) {
    double value =
        registry.get(name).tag("node", "n1").meter().measure().iterator().next().getValue();
    assertThat(value).as(name).isNotNaN();
    return (long) value;
  }

  @Test
  void theFiguresAreThoseOfTheStatusAndFollowIt() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      new NodeMetrics(node, Tags.of("node", "n1")).bindTo(registry);
      node.blocking().put(Bytes.utf8("a"), Bytes.utf8("1"));
      NodeStatus status = node.status().join();

      assertThat(value("kvorum.store.revision")).isEqualTo(2);
      assertThat(value("kvorum.raft.term")).isEqualTo(status.term()).isPositive();
      assertThat(value("kvorum.raft.leads")).isEqualTo(1);
      assertThat(value("kvorum.log.applied")).isEqualTo(status.log().applied()).isPositive();
      assertThat(value("kvorum.members.slowest")).isEqualTo(status.log().durable()).isPositive();
      assertThat(value("kvorum.disk.low")).isEqualTo(status.disk().lowBytes()).isPositive();
      assertThat(value("kvorum.disk.usable")).isPositive();
      assertThat(value("kvorum.store.used")).isEqualTo(status.space().usedBytes()).isPositive();
      assertThat(value("kvorum.log.size")).isEqualTo(status.snapshots().logBytes()).isPositive();
      assertThat(value("kvorum.log.syncs")).isEqualTo(node.syncedBatches()).isPositive();
      assertThat(value("kvorum.problem")).isZero();
      assertThat(value("kvorum.status.age")).isZero();

      node.blocking().put(Bytes.utf8("a"), Bytes.utf8("2"));
      clock.advance(Duration.ofSeconds(1));
      assertThat(value("kvorum.store.revision")).isEqualTo(3);
    }
  }

  @Test
  void watchesAreCounted() {
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      new NodeMetrics(node, Tags.of("node", "n1")).bindTo(registry);
      assertThat(value("kvorum.watches")).isZero();
      try (Watch watch = node.watch(KeyRange.all(), WatchOptions.DEFAULT, events -> {})) {
        assertThat(watch.started().join()).isPositive();
        assertThat(value("kvorum.watches")).isEqualTo(1);
        assertThat(value("kvorum.watches.connections")).isEqualTo(1);
      }
    }
  }

  @Test
  void eachFigureOfALeaderIsKnownAndStandsInTheDocuments() throws IOException {
    String documents = Files.readString(Tidy.root().resolve("docs/OPERATIONS.md"));
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory.resolve("n1")).build())) {
      new NodeMetrics(node).bindTo(registry);
      node.blocking().put(Bytes.utf8("a"), Bytes.utf8("1"));
      assertThat(registry.getMeters()).hasSizeGreaterThan(30);
      for (Meter meter : registry.getMeters()) {
        Meter.Id id = meter.getId();
        assertThat(meter.measure().iterator().next().getValue()).as(id.getName()).isNotNaN();
        assertThat(documents).contains("| `" + id.getName() + "` | " + id.getDescription() + " |");
      }
    }
  }
}
