package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One random life of a group of 1 to 5 voters, decided by a seed: messages are lost, repeated and
 * overtaken, disks are slow, nodes crash and lose what they had not synced, links are cut; clocks
 * drift apart within the bound, and a node that is not its turn sleeps while they go on. What Raft
 * promises is checked on the way by {@link ScheduleChecks}. In the end everything is mended and the
 * group has to become quiet and whole. In every second life the membership changes too, logs are
 * compacted without regard to others, and snapshots are installed or fail.
 */
final class RandomSchedule {
  private static final int STEPS = 1000;
  private static final int HEALING_ROUNDS_MAX = 400;

  private final SplittableRandom random;
  private final @Nullable MembershipSchedule changes;
  private final List<TestNode> nodes = new ArrayList<>();
  private final List<Envelope> network = new ArrayList<>();
  private final ScheduleChecks checks;
  private final boolean keepsOrder;
  private final int faults;
  private final boolean slowDisks;
  private final boolean[][] cut;
  private final Map<NodeId, Integer> places = new HashMap<>();
  private final int electionTicks;
  private final boolean leases;
  private final int quiesceTicks;
  private final List<NodeId> preferred = new ArrayList<>();
  private long nextReadId = 1;
  private long trueNanos;

  RandomSchedule(long seed) {
    random = new SplittableRandom(seed);
    int voters = 1 + random.nextInt(5);
    int learners = random.nextInt(4) == 0 ? 1 : 0;
    keepsOrder = random.nextBoolean();
    faults = random.nextInt(3);
    slowDisks = random.nextInt(3) == 0;
    int strangers = seed % 2 == 0 ? 2 : 0;
    cut = new boolean[voters + learners + strangers][voters + learners + strangers];
    TreeSet<NodeId> voting = new TreeSet<>();
    TreeSet<NodeId> learning = new TreeSet<>();
    for (int i = 0; i < voters + learners; i++) {
      (i < voters ? voting : learning).add(new NodeId("n" + (i + 1)));
    }
    electionTicks = 6 + random.nextInt(6);
    leases = random.nextBoolean();
    quiesceTicks = random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 0;
    if (random.nextInt(3) == 0) {
      preferred.add(new NodeId("n" + (1 + random.nextInt(voters))));
    }
    Membership membership = new Membership(voting, learning);
    Map<EntryId, List<Entry>> blobs = new HashMap<>();
    for (int i = 0; i < voters + learners + strangers; i++) {
      Membership known = i < voters + learners ? membership : Membership.EMPTY;
      RaftConfig config = randomConfig("n" + (i + 1));
      TestNode node = new TestNode(config, known, random.split(), blobs);
      node.holdsDisk = true;
      node.holdsApply = true;
      node.setClock(random.nextLong() >> 8, 975 + random.nextInt(51));
      places.put(node.id(), i);
      nodes.add(node);
    }
    checks = new ScheduleChecks(nodes);
    changes = seed % 2 == 0 ? new MembershipSchedule(seed, nodes, checks) : null;
  }

  private RaftConfig randomConfig(String name) {
    int heartbeatTicks = 1 + random.nextInt(3);
    return RaftConfig.builder(new NodeId(name))
        .electionTicks(electionTicks)
        .tickNanos(TestCluster.TICK_NANOS)
        .leaseReads(leases)
        .quiesceTicks(quiesceTicks)
        .preferredLeaders(preferred)
        .heartbeatTicks(heartbeatTicks)
        .appendBytesMax(1 + random.nextInt(300))
        .appendEntriesMax(1 + random.nextInt(6))
        .inflightMessagesMax(1 + random.nextInt(4))
        .inflightBytesMax(1 + random.nextInt(400))
        .uncommittedBytesMax(1 + random.nextInt(1000))
        .committedBytesMax(1 + random.nextInt(300))
        .build();
  }

  /** Terms that had a leader before healing. */
  int termsLed;

  /** Entries that some state machine was given before healing. */
  int entriesCommitted;

  /** Memberships that were committed, and snapshots that were installed, before healing. */
  int membershipsCommitted;

  int installs;

  /** Reads that were answered before healing, by how. */
  final Map<String, Integer> answers = new TreeMap<>();

  void run() {
    for (int i = 0; i < STEPS; i++) {
      step();
      if (changes != null) {
        checks.afterStep(false, trueNanos);
        changes.step();
      }
      checks.afterStep(i % 50 == 0, trueNanos);
    }
    answers.putAll(checks.answers());
    termsLed = checks.termsLed();
    entriesCommitted = checks.entriesCommitted();
    membershipsCommitted = checks.membershipsCommitted();
    installs = nodes.stream().mapToInt(node -> node.installs).sum();
    heal();
  }

  private void step() {
    TestNode node = nodes.get(random.nextInt(nodes.size()));
    int dice = random.nextInt(100);
    if (dice < 5) {
      disturb(node);
    } else if (node.isDown) {
      if (random.nextInt(4) == 0) {
        node.start();
      }
    } else if (dice < 24) {
      tick(node);
    } else if (dice < 68) {
      deliverSome();
    } else if (dice < 82) {
      sync(node);
    } else {
      node = random.nextBoolean() ? node : leader();
      if (!node.isDown) {
        use(node, dice);
      }
    }
    if (!node.isDown && random.nextInt(4) != 0) {
      run(node);
    }
  }

  /**
   * Now and then only this node is awake for long, or there would be few elections in a short life.
   */
  private void tick(TestNode node) {
    int ticks = random.nextInt(5) == 0 ? random.nextInt(3 * node.config.electionTicks()) : 1;
    for (int i = 0; i < ticks; i++) {
      pass(node.nanosToTick());
      assertThat(node.tickIfDue()).isTrue();
      run(node);
    }
  }

  private void pass(long nanos) {
    trueNanos += nanos;
    for (TestNode node : nodes) {
      node.pass(nanos);
    }
  }

  private void read(TestNode node) {
    long id = nextReadId++;
    ReadMode mode =
        switch (random.nextInt(4)) {
          case 0 -> ReadMode.LINEARIZABLE;
          case 1 -> ReadMode.LEASE;
          case 2 -> ReadMode.FOLLOWER;
          default -> ReadMode.stale(random.nextInt(10) * TestCluster.TICK_NANOS);
        };
    if (node.core().read(id, mode)) {
      checks.readAccepted(node, id, mode, trueNanos);
    }
  }

  /** What an application does. */
  private void use(TestNode node, int dice) {
    RaftCore core = node.core();
    if (dice < 88) {
      core.propose(new byte[random.nextInt(60)]);
    } else if (dice < 95) {
      read(node);
    } else if (dice < 97) {
      core.transferLeadership(nodes.get(random.nextInt(nodes.size())).id());
    } else {
      compact(node);
    }
  }

  /** What happens to machines and cables. */
  private void disturb(TestNode node) {
    int dice = random.nextInt(10);
    if (dice < 3 && faults > 0 && !node.isDown) {
      run(node);
      checks.afterStep(false, trueNanos);
      checks.crashed(node);
      node.crash(random.nextInt(3), random.nextInt(node.applied.size() + 1));
    } else if (dice < 4 && faults > 1) {
      cut[random.nextInt(nodes.size())][random.nextInt(nodes.size())] = true;
    } else if (dice < 6 && faults > 0) {
      isolate(random.nextBoolean() ? node : leader());
    } else if (dice < 7) {
      for (boolean[] row : cut) {
        Arrays.fill(row, false);
      }
    } else if (!node.isDown) {
      node.core().unreachable(nodes.get(random.nextInt(nodes.size())).id());
    }
  }

  private void isolate(TestNode node) {
    int place = places.get(node.id());
    for (int i = 0; i < nodes.size(); i++) {
      cut[place][i] = true;
      cut[i][place] = true;
    }
  }

  /** One that leads, or thinks it does, if there is any. */
  private TestNode leader() {
    int start = random.nextInt(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      TestNode node = nodes.get((start + i) % nodes.size());
      if (!node.isDown && node.core().role() == RoleName.LEADER) {
        return node;
      }
    }
    return nodes.get(start);
  }

  /** Only what every disk holds and every state machine has: no snapshot is needed then. */
  private void compact(TestNode node) {
    if (changes != null) {
      changes.compact(node);
      return;
    }
    long index = Long.MAX_VALUE;
    for (TestNode other : nodes) {
      index = Math.min(index, Math.min(other.disk.lastIndex(), other.applied.size()));
      if (other.disk.hasPending()) {
        return;
      }
    }
    index = Math.min(index, node.core().status().appliedIndex());
    if (index > node.disk.compacted().index()) {
      node.compact(index);
    }
  }

  private void sync(TestNode node) {
    if (!node.disk.hasPending()) {
      if (node.install != null) {
        node.syncAll();
      }
      return;
    }
    if (random.nextBoolean()) {
      node.syncAll();
    } else {
      node.syncOne();
    }
  }

  private void deliverSome() {
    for (int i = random.nextInt(2 + network.size() / 2); i >= 0 && !network.isEmpty(); i--) {
      int at = keepsOrder ? 0 : random.nextInt(network.size());
      int fate = random.nextInt(100);
      Envelope envelope = fate < 92 || faults == 0 ? network.remove(at) : network.get(at);
      if (fate >= 96 && faults > 0) {
        network.remove(at);
      } else {
        deliver(envelope);
      }
    }
  }

  private void deliver(Envelope envelope) {
    int from = places.get(envelope.from());
    int to = places.get(envelope.to());
    TestNode node = nodes.get(to);
    if (!cut[from][to] && !node.isDown) {
      node.core().step(envelope);
      if (random.nextInt(3) != 0) {
        run(node);
      }
    }
  }

  private void run(TestNode node) {
    for (Envelope envelope : node.run()) {
      checks.sent(node, envelope);
      network.add(envelope);
    }
    checks.answered(node);
    if (!slowDisks && random.nextBoolean()) {
      sync(node);
    }
    long applied = node.core().status().appliedIndex();
    if (random.nextBoolean()) {
      node.core().applied(applied + random.nextInt((int) (node.applied.size() - applied) + 1));
    }
  }

  private void heal() {
    for (boolean[] row : cut) {
      Arrays.fill(row, false);
    }
    for (TestNode node : nodes) {
      if (node.isDown) {
        node.start();
      }
      node.holdsDisk = false;
      node.syncAll();
    }
    nodes.forEach(node -> node.failsSnapshots = false);
    boolean proposed = false;
    for (int i = 0; i < HEALING_ROUNDS_MAX; i++) {
      pass(2 * TestCluster.TICK_NANOS);
      for (TestNode node : nodes) {
        node.tickIfDue();
        node.core().applied(node.applied.size());
        run(node);
      }
      while (!network.isEmpty()) {
        deliver(network.remove(0));
        nodes.forEach(this::run);
      }
      checks.afterStep(i % 8 == 0, trueNanos);
      if (!proposed && i > HEALING_ROUNDS_MAX / 10) {
        proposed = proposeAnywhere();
      } else if (proposed && i % 8 == 0 && isQuiet()) {
        checks.whole();
        return;
      }
    }
    StringBuilder state = new StringBuilder("not whole after healing:");
    nodes.forEach(node -> state.append("\n  ").append(node.core().status()));
    throw new AssertionError(state.toString());
  }

  private boolean proposeAnywhere() {
    for (TestNode node : nodes) {
      if (node.core().propose(new byte[0]) instanceof Proposal.Accepted) {
        long id = nextReadId++;
        assertThat(node.core().read(id)).isTrue();
        checks.readAccepted(node, id, ReadMode.LINEARIZABLE, trueNanos);
        return true;
      }
    }
    return false;
  }

  private boolean isQuiet() {
    RaftStatus leader = nodes.get(0).core().status();
    for (TestNode node : nodes) {
      if (node.core().role() == RoleName.LEADER) {
        leader = node.core().status();
      }
    }
    // An acknowledgement under way would still change what the leader knows.
    for (Envelope envelope : network) {
      if (envelope.message() instanceof Message.AppendEntriesResponse) {
        return false;
      }
    }
    for (TestNode node : nodes) {
      RaftStatus status = node.core().status();
      boolean isMember = leader.membership().isMember(node.id());
      if ((isMember && status.appliedIndex() != leader.last().index()) || node.core().hasReady()) {
        return false;
      }
    }
    for (RaftStatus.Progress progress : leader.progress().values()) {
      if (progress.matchIndex() != leader.last().index()) {
        return false;
      }
    }
    return leader.last().index() > 0 && !leader.membership().isJoint();
  }
}
