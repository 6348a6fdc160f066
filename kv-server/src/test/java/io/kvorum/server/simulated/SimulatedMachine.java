package io.kvorum.server.simulated;

import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.NodeConfig;
import io.kvorum.node.NodePorts;
import io.kvorum.node.RaftNode;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftConfig;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.store.MemoryTables;
import io.kvorum.server.store.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A machine with the real node on it: real core, log, vote file, data directory and state machine;
 * simulated disk, network, clock and threads; tables in memory that forget what was not flushed.
 */
final class SimulatedMachine {
  private static final LogConfig SMALL_LOG =
      LogConfig.DEFAULT.withEntryBytesMax(4 << 10).withSegmentBytes(16 << 10);

  private final NodeId id;
  private final Membership membership;
  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final SimulatedDisk disk;
  private final SplittableRandom random;
  private final List<Throwable> failures = new ArrayList<>();
  private MemoryTables tables = new MemoryTables(3);
  private RaftNode<ApplyResult> node;
  private KvStateMachine store;
  private final long logDelayNanosMax;
  private int life;
  private boolean alive;

  SimulatedMachine(
      NodeId id,
      Membership membership,
      VirtualTime time,
      SimulatedNetwork network,
      SplittableRandom random) {
    this.id = id;
    this.membership = membership;
    this.time = time;
    this.network = network;
    this.random = random;
    // Some disks are slower than the network: then a majority may hold an entry before this one.
    this.logDelayNanosMax = random.nextBoolean() ? 10_000_000 : SimulatedLane.FAST_NANOS;
    this.disk = SimulatedDisk.create(random.split());
  }

  NodeId id() {
    return id;
  }

  SimulatedDisk disk() {
    return disk;
  }

  int life() {
    return life;
  }

  boolean isAlive(int since) {
    return alive && life == since;
  }

  boolean isUp() {
    return alive;
  }

  boolean leads() {
    return alive && node.status().role() == RoleName.LEADER;
  }

  RaftNode<ApplyResult> node() {
    return node;
  }

  KvStateMachine store() {
    return store;
  }

  /** Why nodes on this machine have stopped themselves. */
  List<Throwable> failures() {
    return failures;
  }

  /** Starts the process. Throws what a real start would. */
  void start() {
    alive = true;
    SimulatedLane loop = new SimulatedLane(time, this, SimulatedLane.FAST_NANOS);
    DataDirectory directory = DataDirectory.open(disk, "simulated", id, random.split());
    store = KvStateMachine.open(tables, StoreOptions.DEFAULT.withOverlay(4, 1 << 10));
    long applied = store.restored().index();
    DataDirectory.Opened log = directory.openLog(SMALL_LOG, Runnable::run, random.split(), applied);
    node =
        new RaftNode<>(
            new NodeConfig(RaftConfig.of(id), membership, NodeConfig.TICK_DEFAULT),
            new NodePorts<>(
                time,
                loop,
                new SimulatedLane(time, this, logDelayNanosMax),
                new SimulatedLane(time, this, SimulatedLane.FAST_NANOS),
                network.attach(id),
                store,
                log.log(),
                log.voteFile(),
                random.split(),
                failures::add));
    var unused = node.start();
  }

  /** Power is lost: what was not synced is gone, and so are the process and its connections. */
  void crash() {
    if (!alive) {
      return;
    }
    alive = false;
    life++;
    network.detach(id);
    disk.crash();
    tables = tables.crash();
    network.reset(id);
  }

  /** Power is back, the process not yet started. */
  void restore() {
    disk.restart();
  }
}
