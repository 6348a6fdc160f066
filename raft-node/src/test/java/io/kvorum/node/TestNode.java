package io.kvorum.node;

import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.disk.simulated.SimulatedDisk;
import io.kvorum.log.LogConfig;
import io.kvorum.log.LogStore;
import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftConfig;
import io.kvorum.snapshot.SnapshotStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A machine with a disk, and the node that runs on it while one does. */
final class TestNode {
  static final LogConfig LOG =
      LogConfig.DEFAULT.withEntryBytesMax(4 << 10).withSegmentBytes(16 << 10);

  final NodeId id;
  final SimulatedDisk disk;
  private final TestNodes nodes;
  private final Membership initial;

  /** What made processes on it end. */
  final List<Throwable> failures = new ArrayList<>();

  /** What its version has. */
  Features features = Features.ALL;

  @Nullable Life process;

  TestNode(TestNodes nodes, NodeId id, Membership initial) {
    this.nodes = nodes;
    this.id = id;
    this.initial = initial;
    this.disk = SimulatedDisk.create(nodes.time.random().split());
  }

  /** One life of the node. */
  final class Life {
    private final List<TestTime.TestLane> lanes = new ArrayList<>();
    final TestTime.TestLane loop = lane();
    private final TestTime.TestLane apply = lane();
    private final TestTime.TestLane log = lane();
    private final TestTime.TestLane files = lane();
    final TestTime.TestLane snapshot = lane();
    final TestMachine machine;
    final LogStore logStore;
    final SnapshotStore snapshots;
    final RaftNode<Long> node;
    final TestNodes.Endpoint transport = nodes.endpoint(this);

    private Life() {
      SplittableRandom random = nodes.time.random().split();
      DataDirectory directory = DataDirectory.open(disk, "c1", id, random);
      Membership origin = directory.origin(initial);
      snapshots = directory.openSnapshots();
      directory.finishInstall(snapshots, LOG, random, this::replace);
      EntryId applied = new TestMachine(directory.stateDirectory(), 0, 0).restored();
      if (directory.isStateBehind(applied)) {
        directory.restoreState(snapshots, LOG, random, this::replace);
      }
      machine = new TestMachine(directory.stateDirectory(), nodes.ballastBytes, nodes.checkEntries);
      DataDirectory.Opened opened =
          directory.openLog(LOG, this::prepare, random, machine.restored(), machine.membership());
      logStore = opened.log();
      node =
          new RaftNode<>(
              new NodeConfig(
                  RaftConfig.of(id), origin, NodeConfig.TICK_DEFAULT, nodes.snapshotConfig),
              new NodePorts<>(
                  new TestClock(),
                  loop,
                  log,
                  apply,
                  transport,
                  machine,
                  logStore,
                  opened.voteFile(),
                  random.split(),
                  new SnapshotPorts(
                      snapshot,
                      snapshots,
                      directory.installMark(),
                      directory.quarantineMark(),
                      nodes.archiving.apply(id)),
                  new SpacePorts(directory.space(nodes.spaceConfig), this::prepare),
                  this::failed));
    }

    private void replace(io.kvorum.disk.Disk from) {
      TestMachine.replace(disk.directory(DataDirectory.STATE), from);
    }

    private void prepare(Runnable segment) {
      files.execute(
          () -> {
            try {
              segment.run();
            } catch (SimulatedCrash crash) {
              failed(crash);
            }
          });
    }

    private TestTime.TestLane lane() {
      TestTime.TestLane lane = nodes.time.new TestLane();
      lanes.add(lane);
      return lane;
    }

    NodeId id() {
      return id;
    }

    boolean isAlive() {
      return process == this;
    }

    private void failed(Throwable failure) {
      if (isAlive()) {
        failures.add(failure);
        end();
      }
    }

    private void end() {
      process = null;
      lanes.forEach(TestTime.TestLane::end);
    }

    private final class TestClock implements Clock {
      @Override
      public long nanoTime() {
        return nodes.time.nanos();
      }

      @Override
      public long wallTimeMillis() {
        return nodes.time.nanos() / 1_000_000;
      }
    }
  }

  /** Starts it; false if the disk lost power on the way. */
  boolean start() {
    disk.restart();
    return startOnRunningDisk();
  }

  /** As {@link #start}, on a disk for which faults are planned. */
  boolean startOnRunningDisk() {
    try {
      Life started = new Life();
      process = started;
      var unused = started.node.start();
      return true;
    } catch (SimulatedCrash crash) {
      return false;
    }
  }

  /** Power is lost, and what was not synced. */
  void crash() {
    Life ends = process;
    if (ends != null) {
      ends.end();
    }
    disk.crash();
  }

  boolean isAlive() {
    return process != null;
  }

  Life process() {
    Life running = process;
    if (running == null) {
      throw new AssertionError(id + " does not run: " + failures);
    }
    return running;
  }

  RaftNode<Long> node() {
    return process().node;
  }

  TestMachine.State state() {
    return process().machine.state();
  }

  /** Where its log begins. */
  long compacted() {
    return process().logStore.compacted().index();
  }
}
