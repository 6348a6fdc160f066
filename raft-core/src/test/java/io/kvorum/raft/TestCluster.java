package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Nodes n1, n2, … joined by links that keep order. Nothing moves by itself: a test ticks and
 * delivers. Randomness is a generator that yields zeros, so an election times out after exactly
 * {@code electionTicks}.
 */
final class TestCluster {
  static final long MILLI_NANOS = 1_000_000;
  static final long TICK_NANOS = 10_000_000;

  private static final int STEPS_MAX = 100_000;

  /** A link, one direction. */
  record Link(NodeId from, NodeId to) implements Comparable<Link> {
    @Override
    public int compareTo(Link other) {
      int byFrom = from.compareTo(other.from);
      return byFrom != 0 ? byFrom : to.compareTo(other.to);
    }
  }

  /** All messages that were sent, in order, also those that were lost. */
  final List<Envelope> sent = new ArrayList<>();

  private final SortedMap<NodeId, TestNode> nodes = new TreeMap<>();
  private final SortedMap<Link, ArrayDeque<Envelope>> network = new TreeMap<>();
  private final Set<Link> cut = new HashSet<>();
  private final Map<NodeId, RoleName> roles = new TreeMap<>();
  private final Map<EntryId, List<Entry>> blobs = new HashMap<>();
  private final Set<NodeId> quietNodes = new HashSet<>();
  private final Membership membership;
  private Predicate<Envelope> losing = envelope -> false;
  private Consumer<String> transcript = line -> {};

  /** A small configuration: an election after 10 ticks, a heartbeat every 3. */
  static RaftConfig config(String name) {
    return RaftConfig.builder(new NodeId(name))
        .electionTicks(10)
        .heartbeatTicks(3)
        .tickNanos(TICK_NANOS)
        .appendBytesMax(1 << 20)
        .appendEntriesMax(64)
        .inflightMessagesMax(8)
        .uncommittedBytesMax(1 << 20)
        .committedBytesMax(1 << 20)
        .build();
  }

  static TestCluster of(int voters) {
    return new TestCluster(voters, 0, config -> config);
  }

  TestCluster(int voters, int learners, UnaryOperator<RaftConfig> adjust) {
    TreeSet<NodeId> voting = new TreeSet<>();
    TreeSet<NodeId> learning = new TreeSet<>();
    for (int i = 1; i <= voters + learners; i++) {
      (i <= voters ? voting : learning).add(new NodeId("n" + i));
    }
    membership = new Membership(voting, learning);
    for (int i = 1; i <= voters + learners; i++) {
      add(adjust.apply(config("n" + i)), membership, i);
    }
  }

  private void add(RaftConfig config, Membership initial, int number) {
    // Where nodes campaign by themselves, n1 is the first to do so, then n2.
    long constant = (number - 1L) << 33;
    boolean spread = config.leaseReads() || config.quiesceTicks() > 0;
    RandomGenerator random = spread ? () -> constant : () -> 0L;
    TestNode node = new TestNode(config, initial, random, blobs);
    nodes.put(node.id(), node);
    roles.put(node.id(), node.core().role());
  }

  /** Starts a node that knows nothing of the group yet. */
  TestCluster join(String name) {
    add(config(name), Membership.EMPTY, 1);
    return this;
  }

  static List<NodeId> ids(String... names) {
    return Stream.of(names).map(NodeId::new).toList();
  }

  /** Asks for a membership of these voters and learners, each a list of names with blanks. */
  Proposal change(String name, String voters, String learners) {
    MembershipChange change =
        MembershipChange.to(ids(names(voters)), ids(names(learners)), Map.of());
    Proposal proposal = core(name).propose(change);
    run(node(name));
    return proposal;
  }

  private static String[] names(String list) {
    return list.isBlank() ? new String[0] : list.strip().split(" ");
  }

  /** Forgets the log of a node up to an index; a snapshot stands for it, made now if need be. */
  void compact(String name, long index) {
    node(name).compact(index);
    run(node(name));
  }

  void transcript(Consumer<String> lines) {
    transcript = lines;
  }

  Membership membership() {
    return membership;
  }

  TestNode node(String name) {
    return nodes.get(new NodeId(name));
  }

  RaftCore core(String name) {
    return node(name).core();
  }

  Iterable<TestNode> all() {
    return nodes.values();
  }

  /** Gives a node another history before anything happens. */
  void preset(String name, HardState state, long... terms) {
    node(name).disk.preset(state, terms);
    node(name).start();
  }

  void tick(String name, int times) {
    for (int i = 0; i < times; i++) {
      node(name).tick();
      run(node(name));
    }
  }

  /** Each node gets a tick, then all messages are delivered; so often. */
  void tickAll(int times) {
    for (int i = 0; i < times; i++) {
      for (TestNode node : nodes.values()) {
        if (!node.isDown) {
          node.tick();
          run(node);
        }
      }
      deliver();
    }
  }

  /**
   * True time passes for all, by each one's clock, a millisecond at a time; what is sent arrives at
   * once.
   *
   * @param eachMillis a check
   */
  void pass(int millis, Runnable eachMillis) {
    for (int i = 0; i < millis; i++) {
      for (TestNode node : nodes.values()) {
        node.pass(MILLI_NANOS);
        if (node.tickIfDue()) {
          run(node);
        }
      }
      deliver();
      eachMillis.run();
    }
  }

  void pass(int millis) {
    pass(millis, () -> {});
  }

  /** Lets time pass for this node only until it campaigns. */
  void campaign(String name) {
    RaftCore core = core(name);
    for (int i = 0; core.role() == RoleName.FOLLOWER || i == 0; i++) {
      assertThat(i).as("ticks until %s campaigns", name).isLessThan(100);
      tick(name, 1);
    }
  }

  /** Makes the node leader of a settled cluster. */
  TestCluster elect(String name) {
    if (node(name).config.leaseReads()) {
      tickAll(2 * node(name).config.electionTicks());
      assertThat(core(name).role()).isEqualTo(RoleName.LEADER);
      return this;
    }
    for (int i = 0; core(name).role() != RoleName.LEADER; i++) {
      assertThat(i).as("attempts to elect %s", name).isLessThan(10);
      nodes.values().forEach(node -> forget(node));
      campaign(name);
      deliver();
    }
    tickAll(1);
    return this;
  }

  /** Makes a follower old enough to grant a vote. */
  private void forget(TestNode node) {
    if (node.core().leader() != null && node.core().role() == RoleName.FOLLOWER) {
      node.core().unreachable(node.core().leader());
    }
  }

  Proposal propose(String name, String payload) {
    Proposal proposal = core(name).propose(payload.getBytes(StandardCharsets.UTF_8));
    run(node(name));
    return proposal;
  }

  boolean read(String name, long id) {
    return read(name, id, ReadMode.LINEARIZABLE);
  }

  boolean read(String name, long id, ReadMode mode) {
    boolean accepted = core(name).read(id, mode);
    run(node(name));
    return accepted;
  }

  boolean transfer(String from, String to) {
    boolean accepted = core(from).transferLeadership(new NodeId(to));
    run(node(from));
    return accepted;
  }

  void pause(String name) {
    node(name).isPaused = true;
  }

  void resume(String name) {
    node(name).isPaused = false;
  }

  /** Messages sent since the last call to {@code sent.clear()}. */
  long sent(String from, String to) {
    return sent.stream()
        .filter(e -> e.from().name().equals(from) && e.to().name().equals(to))
        .count();
  }

  /** Who leads, as it thinks itself; the one with the highest term. Null if nobody does. */
  @Nullable String leader() {
    String found = null;
    long term = 0;
    for (TestNode node : nodes.values()) {
      if (!node.isDown && node.core().role() == RoleName.LEADER && node.core().term() > term) {
        term = node.core().term();
        found = node.id().name();
      }
    }
    return found;
  }

  void unreachable(String name, String peer) {
    core(name).unreachable(new NodeId(peer));
    run(node(name));
  }

  void hold(String name) {
    node(name).holdsDisk = true;
  }

  void release(String name) {
    node(name).holdsDisk = false;
    node(name).syncAll();
    run(node(name));
  }

  void syncOne(String name) {
    node(name).syncOne();
    run(node(name));
  }

  void crash(String name) {
    TestNode node = node(name);
    node.crash(0, node.applied.size());
    network.keySet().removeIf(link -> link.from().equals(node.id()) || link.to().equals(node.id()));
  }

  void restart(String name) {
    node(name).start();
    run(node(name));
  }

  void cut(String from, String to) {
    cut.add(new Link(new NodeId(from), new NodeId(to)));
  }

  /** Cuts all links of this node, in both directions. */
  void isolate(String name) {
    for (NodeId other : nodes.keySet()) {
      if (!other.name().equals(name)) {
        cut(name, other.name());
        cut(other.name(), name);
      }
    }
  }

  /** From now on these messages are lost, besides those of cut links. */
  void lose(Predicate<Envelope> messages) {
    losing = messages;
  }

  void heal() {
    cut.clear();
  }

  /** Delivers until nothing is under way. */
  void deliver() {
    for (int i = 0; deliverOneEach(); i++) {
      assertThat(i).as("rounds of delivery").isLessThan(STEPS_MAX);
    }
  }

  private boolean deliverOneEach() {
    boolean delivered = false;
    for (Link link : List.copyOf(network.keySet())) {
      delivered |= deliver(link);
    }
    return delivered;
  }

  /** Delivers one message of this link, if there is any. */
  boolean deliver(String from, String to) {
    return deliver(new Link(new NodeId(from), new NodeId(to)));
  }

  private boolean deliver(Link link) {
    ArrayDeque<Envelope> queue = network.get(link);
    TestNode to = nodes.get(link.to());
    if (queue == null || queue.isEmpty() || (to != null && to.isPaused)) {
      return false;
    }
    step(queue.removeFirst());
    return true;
  }

  /** Brings a message that may never have been sent. */
  void step(Envelope envelope) {
    TestNode node = nodes.get(envelope.to());
    if (node != null && !node.isDown) {
      node.core().step(envelope);
      run(node);
    }
  }

  /** Loses what is under way on this link. */
  void drop(String from, String to) {
    network.remove(new Link(new NodeId(from), new NodeId(to)));
  }

  void dropAll() {
    network.clear();
  }

  /** Sends what the node has to send, and writes down what it did. */
  void run(TestNode node) {
    int applied = node.applied.size();
    int reads = node.reads.size();
    int failed = node.failedReads.size();
    int writes = node.disk.pendingCount();
    int memberships = node.memberships.size();
    int installs = node.installs;
    RaftCore core = node.core();
    List<Envelope> messages = node.run();
    if (core.role() != roles.put(node.id(), core.role())) {
      transcript.accept(node.id() + "@" + core.term() + " becomes " + core.role());
    }
    boolean quiet = core.status().quiet();
    if (quiet ? quietNodes.add(node.id()) : quietNodes.remove(node.id())) {
      transcript.accept(node.id() + "@" + core.term() + (quiet ? " is quiet" : " is awake"));
    }
    for (Envelope envelope : messages) {
      sent.add(envelope);
      Link link = new Link(envelope.from(), envelope.to());
      boolean lost = cut.contains(link) || losing.test(envelope);
      transcript.accept(Transcripts.line(envelope) + (lost ? " (lost)" : ""));
      if (!lost) {
        network.computeIfAbsent(link, l -> new ArrayDeque<>()).add(envelope);
      }
    }
    String self = node.id() + "@" + core.term();
    if (node.disk.pendingCount() > writes) {
      transcript.accept(self + " waits for its disk");
    }
    for (Membership acting : node.memberships.subList(memberships, node.memberships.size())) {
      transcript.accept(self + " acts by " + acting);
    }
    if (node.installs > installs) {
      transcript.accept(self + " installs " + Transcripts.text(node.snapshot()));
      return;
    }
    for (Entry entry : node.applied.subList(applied, node.applied.size())) {
      transcript.accept(self + " applies " + Transcripts.entry(entry));
    }
    for (Ready.ReadState read : node.reads.subList(reads, node.reads.size())) {
      String how = read.isLeased() ? " by the lease of term " + read.leaseTerm() : "";
      transcript.accept(
          self + " answers read " + read.readId() + " at index " + read.index() + how);
    }
    for (long read : node.failedReads.subList(failed, node.failedReads.size())) {
      transcript.accept(self + " fails read " + read);
    }
  }
}
