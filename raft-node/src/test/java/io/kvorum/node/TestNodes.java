package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A group of real nodes on virtual time, simulated disks and a network between them. */
final class TestNodes {
  private static final long LATENCY_NANOS_MAX = 2_000_000;
  private static final long SECOND_NANOS = 1_000_000_000;

  /** Decides about a frame; runs when it is sent. */
  interface Weather {
    /** How often it arrives; it may be late each time. */
    int copies(NodeId from, NodeId to, Object frame);
  }

  final TestTime time;
  final Map<NodeId, TestNode> all = new TreeMap<>();
  final Map<NodeId, List<SnapshotFrame>> sentBy = new TreeMap<>();
  private final Set<NodeId> cut = new HashSet<>();
  SnapshotConfig snapshotConfig =
      SnapshotConfig.DEFAULT.withLogBytes(48 << 10).withLogBounds(0, 64 << 10);
  Function<NodeId, SnapshotPorts.@Nullable Archiving> archiving = id -> null;
  SpaceConfig spaceConfig = SpaceConfig.NONE;
  int ballastBytes = 700_000;
  long checkEntries;
  Weather weather = (from, to, frame) -> 1;
  long latencyNanosMax = LATENCY_NANOS_MAX;
  boolean keepsOrder = true;
  private long proposed;
  long acknowledged;

  TestNodes(long seed, int count) {
    time = new TestTime(new SplittableRandom(seed));
    Set<NodeId> members = new HashSet<>();
    for (int i = 1; i <= count; i++) {
      members.add(id(i));
    }
    Membership initial = Membership.of(members);
    for (int i = 1; i <= count; i++) {
      all.put(id(i), new TestNode(this, id(i), initial));
    }
  }

  static NodeId id(int number) {
    return new NodeId("n" + number);
  }

  TestNode node(int number) {
    TestNode node = all.get(id(number));
    if (node == null) {
      throw new AssertionError("there is no n" + number);
    }
    return node;
  }

  TestNode join(int number) {
    TestNode joining = new TestNode(this, id(number), Membership.EMPTY);
    all.put(joining.id, joining);
    joining.start();
    return joining;
  }

  TestNodes startAll() {
    all.values().forEach(TestNode::start);
    return this;
  }

  // ---- the network ----

  Endpoint endpoint(TestNode.Life process) {
    return new Endpoint(process);
  }

  /** No frame reaches it or leaves it. */
  void cut(TestNode node) {
    cut.add(node.id);
  }

  void mend() {
    cut.clear();
  }

  /** The transport of one process. */
  final class Endpoint implements Transport {
    private final TestNode.Life process;
    private final Map<NodeId, Long> lastArrivals = new TreeMap<>();
    private @Nullable Receiver receiver;

    private Endpoint(TestNode.Life process) {
      this.process = process;
    }

    @Override
    public void members(Membership membership) {
      // Everybody reaches everybody.
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
    }

    @Override
    public void send(Envelope envelope) {
      carry(envelope.to(), envelope, to -> to.received(envelope));
    }

    @Override
    public void send(NodeId to, SnapshotFrame frame) {
      sentBy.computeIfAbsent(process.id(), none -> new ArrayList<>()).add(frame);
      carry(to, frame, receiving -> receiving.received(process.id(), frame));
    }

    private void carry(NodeId to, Object frame, java.util.function.Consumer<Receiver> delivery) {
      int copies = weather.copies(process.id(), to, frame);
      for (int i = 0; i < copies; i++) {
        long due = time.nanos() + time.random().nextLong(latencyNanosMax);
        if (keepsOrder) {
          due = Math.max(due, lastArrivals.getOrDefault(to, 0L));
          lastArrivals.put(to, due);
        }
        time.at(due, () -> arrive(to, delivery));
      }
    }

    private void arrive(NodeId to, java.util.function.Consumer<Receiver> delivery) {
      TestNode target = all.get(to);
      if (target == null || !target.isAlive() || cut.contains(to) || cut.contains(process.id())) {
        return;
      }
      TestNode.Life alive = target.process();
      Receiver receiving = alive.transport.receiver;
      if (receiving != null) {
        alive.loop.execute(() -> delivery.accept(receiving));
      }
    }

    /** Of those that are reached now: whether anything was sent does not matter. */
    @Override
    public @Nullable Features features(NodeId member) {
      TestNode node = all.get(member);
      boolean isUp = node != null && node.isAlive() && !cut.contains(member);
      return isUp && !cut.contains(process.id()) ? node.features : null;
    }

    @Override
    public void flush() {
      // Nothing is held back.
    }

    @Override
    public void close() {
      receiver = null;
    }
  }

  // ---- what happens ----

  /** Lets time pass until it is so. */
  void until(String what, BooleanSupplier condition) {
    long bound = time.nanos() + 300 * SECOND_NANOS;
    while (!condition.getAsBoolean()) {
      if (time.nanos() > bound || !time.step()) {
        throw new AssertionError("not within five minutes: " + what + "; " + this);
      }
    }
  }

  void pass(long seconds) {
    long end = time.nanos() + seconds * SECOND_NANOS;
    time.at(end, () -> {});
    until("time passes", () -> time.nanos() >= end);
  }

  @Nullable TestNode findLeader() {
    for (TestNode node : all.values()) {
      if (node.isAlive()
          && !cut.contains(node.id)
          && node.node().role() == RoleName.LEADER
          && !node.node().isStopped()) {
        return node;
      }
    }
    return null;
  }

  TestNode leader() {
    until("somebody leads", () -> findLeader() != null);
    TestNode leader = findLeader();
    if (leader == null) {
      throw new AssertionError("lost in no time");
    }
    return leader;
  }

  /** Has entries of one KiB each applied by whoever leads, one after another. */
  void write(int count) {
    for (int i = 0; i < count; i++) {
      writeOne();
    }
  }

  private void writeOne() {
    long goal = acknowledged + 1;
    byte[] payload = new byte[1 << 10];
    byte[] text = ("value " + ++proposed).getBytes(US_ASCII);
    System.arraycopy(text, 0, payload, 0, text.length);
    while (acknowledged < goal) {
      boolean[] ended = {false};
      TestNode to = leader();
      to.process().loop.execute(() -> to.node().propose(payload, new Listener(ended)));
      until("a write is answered", () -> ended[0] || !to.isAlive());
    }
  }

  /** Proposes such entries, and does not wait for what becomes of them. */
  void offer(TestNode node, int count) {
    for (int i = 0; i < count; i++) {
      byte[] payload = new byte[1 << 10];
      proposed++;
      node.process().loop.execute(() -> node.node().propose(payload, new Listener(new boolean[1])));
    }
  }

  private final class Listener implements ProposalListener<Long> {
    private final boolean[] ended;

    Listener(boolean[] ended) {
      this.ended = ended;
    }

    @Override
    public void applied(Long result) {
      acknowledged++;
      ended[0] = true;
    }

    @Override
    public void refused(Refusal why) {
      ended[0] = true;
    }

    @Override
    public void unknown(String why) {
      ended[0] = true;
    }
  }

  /** All that run have applied the same, and it is everything. */
  void untilEqual() {
    until(
        "all are equal",
        () -> {
          TestNode leader = findLeader();
          return leader != null
              && all.values().stream()
                  .filter(TestNode::isAlive)
                  .allMatch(
                      node ->
                          node.state().equals(leader.state())
                              && node.node().status().appliedIndex()
                                  == leader.state().applied().index())
              && leader.state().applied().index() == leader.node().last().index();
        });
  }

  /** Frames of one kind that somebody has sent so far. */
  <F extends SnapshotFrame> List<F> sent(TestNode by, Class<F> kind) {
    return sentBy.getOrDefault(by.id, List.of()).stream()
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (TestNode node : all.values()) {
      text.append(node.id).append(": ");
      if (node.isAlive()) {
        text.append(node.node().status()).append(' ').append(node.node().snapshotStatus());
      } else {
        text.append("down ").append(node.failures);
      }
      text.append("; ");
    }
    return text.toString();
  }
}
