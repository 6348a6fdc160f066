package io.kvorum.simulator;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.world.DrivenWorld;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * What can be done to a {@link SimCluster}. Everything strikes now, and lasts until it is undone;
 * what makes no sense as things are, such as to kill what does not run, does nothing.
 *
 * <p>Nodes are named {@code n1}, {@code n2}, …; where the text says so, a client may be named, too.
 * Another name is an {@link IllegalArgumentException}.
 */
public final class SimFaults {
  private static final long CHANGE_NANOS_MAX = 4_000_000_000L;

  private final SimCluster cluster;
  private final DrivenWorld world;
  private int storms;

  SimFaults(SimCluster cluster, DrivenWorld world) {
    this.cluster = cluster;
    this.world = world;
  }

  /** Nothing gets through between the two groups, of nodes and clients, in either direction. */
  public void partition(Collection<String> one, Collection<String> other) {
    for (String left : one) {
      for (String right : other) {
        separate(left, right);
      }
    }
  }

  private void separate(String left, String right) {
    if (isClient(left) && isClient(right)) {
      // Clients know nothing of each other: there is no way between them that could be cut.
      return;
    }
    if (isClient(left)) {
      strike(new Fault.CutClient(cluster.numberOf(left), node(right)));
    } else if (isClient(right)) {
      strike(new Fault.CutClient(cluster.numberOf(right), node(left)));
    } else {
      cut(left, right);
      cut(right, left);
    }
  }

  private boolean isClient(String name) {
    return cluster.clients().contains(name);
  }

  /** The other nodes hear nothing of this one, and it nothing of them; clients still reach it. */
  public void isolate(String node) {
    strike(new Fault.Isolate(node(node)));
  }

  /** What one node sends to the other is lost; the other direction works on. */
  public void cut(String from, String to) {
    strike(new Fault.Cut(node(from), node(to)));
  }

  /** All ways work again, between nodes and to clients. */
  public void heal() {
    cluster.requireOpen();
    world.mendNetwork();
  }

  /** All is well again: the network, disks and clocks; pauses end, and who is down starts. */
  public void healAll() {
    cluster.requireOpen();
    world.mendAll();
  }

  /** The process ends at once; the system keeps what it has written. */
  public void kill(String node) {
    strike(new Fault.Kill(node(node)));
  }

  /** The machine stops at once; of what was not synced, something may be lost, or all. */
  public void losePower(String node) {
    strike(new Fault.LosePower(node(node)));
  }

  /** Starts a node that is down, with the disk that it has. */
  public void restart(String node) {
    strike(new Fault.Restart(node(node)));
  }

  /**
   * The process of the node, or of the client, stands still for so long, and does not know it; its
   * connections stay.
   */
  public void pause(String name, Duration duration) {
    if (isClient(name)) {
      cluster.requireOpen();
      world.pauseClient(cluster.numberOf(name), duration.toNanos());
    } else {
      strike(new Fault.Pause(node(name), duration.toNanos()));
    }
  }

  /**
   * The leader begins to hand over to that node. It may fail, as when the node is far behind: see
   * {@link SimCluster#leader()} for what came of it.
   */
  public void transferLeadership(String node) {
    cluster.requireOpen();
    world.transferLeadership(node(node));
  }

  /**
   * The lease ends now, as if its time were over, with the keys that hang on it; one that does not
   * exist stays so. Takes effect when a leader has committed it: {@link SimCluster} goes on
   * meanwhile. Was the lease renewed at the same moment, it may stay: then do it again.
   */
  public void expireLease(long lease) {
    cluster.requireOpen();
    world.expireLease(lease);
  }

  /**
   * The history before the revision is given up, as a client may ask for it: nothing happens if it
   * is already, or if there is no such revision yet. Takes effect when a leader has committed it.
   */
  public void compactHistory(long revision) {
    cluster.requireOpen();
    world.compactHistory(revision);
  }

  /** The node's monotonic clock gains so much from now on, or loses if negative. */
  public void driftClock(String node, int partsPerMillion) {
    strike(new Fault.Drift(node(node), partsPerMillion));
  }

  /** The node's monotonic clock jumps forward, as after a suspension. */
  public void jumpClock(String node, Duration forward) {
    if (forward.isNegative()) {
      throw new IllegalArgumentException("a monotonic clock does not go back: " + forward);
    }
    strike(new Fault.JumpForward(node(node), forward.toNanos()));
  }

  /** The node's wall clock jumps, forward or back. */
  public void jumpWallClock(String node, Duration by) {
    strike(new Fault.JumpWall(node(node), by.toMillis()));
  }

  /** Nothing more fits on the node's disk: what it cannot write waits until there is space. */
  public void fillDisk(String node) {
    strike(new Fault.FillDisk(node(node), 0));
  }

  /** There is space on the node's disk again. The node stays down until {@link #restart}. */
  public void freeDisk(String node) {
    strike(new Fault.FreeDisk(node(node)));
  }

  /** Each write and sync of the node takes up to so long from now on; zero: as at the start. */
  public void slowDisk(String node, Duration most) {
    long nanos = most.isZero() ? DrivenWorld.DISK_NANOS_MAX : most.toNanos();
    strike(new Fault.SlowDisk(node(node), nanos));
  }

  /**
   * Faults of these kinds for so long from now on, each kind from twice a second to once in four
   * seconds, drawn from the cluster's seed. Then {@link #healAll}. Returns at once: the storm goes
   * on while virtual time passes.
   */
  public void storm(Duration duration, Storm... kinds) {
    cluster.requireOpen();
    SplittableRandom random = world.random("storm " + storms++);
    Set<Plans.Trouble> troubles = EnumSet.noneOf(Plans.Trouble.class);
    Set<Storm> wanted = new TreeSet<>(List.of(kinds));
    wanted.forEach(kind -> troubles.addAll(kind.troubles()));
    SimOptions drawn =
        new SimOptions(
            world.options().nodes(),
            Math.max(1, cluster.clients().size()),
            1,
            0,
            duration.toNanos(),
            world.options().tuning());
    for (TimedFault timed : Plans.storm(random, drawn, troubles)) {
      cluster.afterNanos(timed.atNanos(), () -> world.strike(timed.fault()));
    }
    if (wanted.contains(Storm.LEADER_CHANGE)) {
      changeLeaders(random, duration.toNanos());
    }
    cluster.afterNanos(duration.toNanos(), world::mendAll);
  }

  private void changeLeaders(SplittableRandom random, long untilNanos) {
    List<NodeId> nodes = world.nodes();
    long at = random.nextLong(CHANGE_NANOS_MAX);
    while (at < untilNanos) {
      NodeId target = nodes.get(random.nextInt(nodes.size()));
      cluster.afterNanos(at, () -> world.transferLeadership(target));
      at += 1 + random.nextLong(CHANGE_NANOS_MAX);
    }
  }

  private void strike(Fault fault) {
    cluster.requireOpen();
    world.strike(fault);
  }

  private NodeId node(String name) {
    return world.nodes().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name + " is none of " + cluster.nodes()));
  }
}
