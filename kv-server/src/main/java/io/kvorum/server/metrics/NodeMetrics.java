package io.kvorum.server.metrics;

import io.kvorum.api.NodeStatus;
import io.kvorum.server.KvNode;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a node, for a Micrometer registry: {@code new NodeMetrics(node).bindTo(registry)}.
 * What each says stands in its description, and in docs/OPERATIONS.md.
 *
 * <p>They are read from the node's status, which is asked for when somebody reads them and the last
 * one is half a second old; nothing is counted on the way of a request. A reader may wait a quarter
 * of a second for a node that does not answer; then it gets what was known, and {@code
 * kvorum.status.age} says how old that is. NaN: the node has never answered.
 */
public final class NodeMetrics implements MeterBinder {
  private final KvNode node;
  private final Tags tags;

  /** Of a node that is alone in its registry. */
  public NodeMetrics(KvNode node) {
    this(node, Tags.empty());
  }

  /**
   * Of one node among several.
   *
   * @param tags of each of its meters, to tell it from the others
   */
  public NodeMetrics(KvNode node, Iterable<Tag> tags) {
    this.node = node;
    this.tags = Tags.of(tags);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauges gauges =
        new Gauges(registry, tags, new FreshStatus(node::status, registry.config().clock()));
    raft(gauges);
    store(gauges);
    snapshots(gauges);
    disk(gauges);
    watches(registry);
    FunctionCounter.builder("kvorum.log.syncs", node, KvNode::syncedBatches)
        .description("batches of the log that were synced")
        .tags(tags)
        .register(registry);
  }

  private static void raft(Gauges gauges) {
    gauges.age();
    gauges.add("kvorum.raft.term", "the term", NodeStatus::term);
    gauges.add("kvorum.raft.leads", "1: it leads", status -> flag(isLeader(status)));
    gauges.add(
        "kvorum.raft.knows.leader",
        "1: it knows who leads",
        status -> flag(status.leader().isPresent()));
    gauges.add("kvorum.log.last", "index of the last entry", status -> status.log().last());
    gauges.add(
        "kvorum.log.durable", "index of the last entry synced", status -> status.log().durable());
    gauges.add(
        "kvorum.log.committed",
        "index of the last entry known to be committed",
        status -> status.log().committed());
    gauges.add(
        "kvorum.log.applied",
        "index of the last entry applied to the store",
        status -> status.log().applied());
    gauges.add("kvorum.members", "how many there are", status -> status.members().size());
    gauges.add(
        "kvorum.members.active",
        "those that the leader has heard lately; only the leader says it",
        status -> isLeader(status) ? active(status) : Double.NaN);
    gauges.add(
        "kvorum.members.slowest",
        "index up to which the slowest of them has the log; only the leader says it",
        status -> isLeader(status) ? slowest(status) : Double.NaN);
    gauges.add(
        "kvorum.problem",
        "1: kvorum status names something that a person should look at",
        status -> flag(status.problem().isPresent()));
  }

  private static boolean isLeader(NodeStatus status) {
    return status.role().equals("leader");
  }

  private static double active(NodeStatus status) {
    return status.members().stream().filter(NodeStatus.Member::active).count();
  }

  private static double slowest(NodeStatus status) {
    return status.members().stream().mapToDouble(NodeStatus.Member::matchIndex).min().orElse(0);
  }

  private static void store(Gauges gauges) {
    gauges.add("kvorum.store.revision", "the newest revision", NodeStatus::revision);
    gauges.add(
        "kvorum.store.compacted", "what is older cannot be read", NodeStatus::compactRevision);
    gauges.addBytes(
        "kvorum.store.used", "what counts against the quota", status -> status.space().usedBytes());
    gauges.addBytes(
        "kvorum.store.quota", "the quota; 0: none", status -> status.space().quotaBytes());
    gauges.addBytes(
        "kvorum.store.reclaimable",
        "what a compaction now would give back",
        status -> status.space().reclaimableBytes());
    gauges.add(
        "kvorum.store.full",
        "1: what grows is refused, or nearly",
        status -> flag(status.space().full()));
  }

  private static void snapshots(Gauges gauges) {
    gauges.add(
        "kvorum.log.first",
        "index of the first entry kept",
        status -> status.snapshots().logFirst());
    gauges.addBytes(
        "kvorum.log.size",
        "what the log takes on the disk",
        status -> status.snapshots().logBytes());
    gauges.add(
        "kvorum.snapshot.last",
        "index of the last entry in the newest snapshot; 0: there is none",
        status -> status.snapshots().index());
    gauges.addBytes("kvorum.snapshot.size", "of its files", status -> status.snapshots().bytes());
    gauges.addBytes(
        "kvorum.snapshot.receiving",
        "size of the snapshot that arrives; 0: none does",
        status -> status.snapshots().transfer().receivingBytes());
    gauges.addBytes(
        "kvorum.snapshot.received",
        "how much of it is here",
        status -> status.snapshots().transfer().receivedBytes());
    gauges.add(
        "kvorum.snapshot.receivers",
        "members that are being sent one",
        status -> status.snapshots().transfer().sendingTo().size());
  }

  private static void disk(Gauges gauges) {
    gauges.addBytes(
        "kvorum.disk.usable", "what is left on the disk", status -> status.disk().usableBytes());
    gauges.addBytes(
        "kvorum.disk.low",
        "with less than that it takes nothing that needs space; 0: it does not watch",
        status -> status.disk().lowBytes());
    gauges.add(
        "kvorum.disk.reserve",
        "1: what is kept in reserve is there",
        status -> flag(status.disk().reserve()));
  }

  private void watches(MeterRegistry registry) {
    watch(registry, "kvorum.watches", "that this node serves", own -> own.watchStats().watches());
    watch(
        registry,
        "kvorum.watches.connections",
        "with at least one watch",
        own -> own.watchStats().connections());
    watch(
        registry,
        "kvorum.watches.behind",
        "those that have events to get, or history to read",
        own -> own.watchStats().behind());
  }

  private void watch(
      MeterRegistry registry, String name, String description, ToDoubleFunction<KvNode> value) {
    Gauge.builder(name, node, value)
        .description(description)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  private static double flag(boolean is) {
    return is ? 1 : 0;
  }
}
