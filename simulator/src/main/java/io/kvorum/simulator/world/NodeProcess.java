package io.kvorum.simulator.world;

import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.log.LogConfig;
import io.kvorum.node.DataDirectory;
import io.kvorum.node.netty.HelloPolicy;
import io.kvorum.node.netty.MemberIdentity;
import io.kvorum.raft.NodeId;
import io.kvorum.server.ServingNode;
import io.kvorum.server.ServingPorts;
import io.kvorum.server.store.KvStateMachine;
import io.kvorum.server.watch.WatchLimits;
import io.kvorum.simulator.plan.LaneName;
import io.kvorum.simulator.plan.Tuning;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One process of a node, from its start to its end: the real node on simulated ports. */
final class NodeProcess implements SimLane.Host {
  /** The largest value a client of the simulator writes, with what belongs to it, fits well. */
  private static final int ENTRY_BYTES_MAX = 8 << 10;

  /** Small, so that watches read history, and revisions come in pieces. */
  private static final WatchLimits WATCH_LIMITS =
      new WatchLimits(24, 4 << 10, 5, 1 << 10, 300, 1_024);

  private final Machine machine;
  private final int life;
  private final SplittableRandom random;
  private final SplittableRandom snapshotRandom;
  private final SimLane loop;
  private final SimLane log;
  private final SimLane apply;
  private final SimLane worker;
  private final SimLane watching;
  private final SimLane files;
  private final SimLane snapshotting;
  private final PeerNetwork.Endpoint peers;
  private @Nullable ServingNode serving;
  private @Nullable WatchedStore store;
  private @Nullable NodeWatch watch;
  private @Nullable HelloPolicy policy;
  private boolean alive = true;
  private boolean looked;
  private boolean ending;

  NodeProcess(Machine machine, int life) {
    this.machine = machine;
    this.life = life;
    this.random = machine.world().streams().of("process " + machine.id() + " " + life);
    this.loop = lane(SimLane.WAKE_NANOS_MAX);
    this.log = lane(machine.slowDiskNanosMax());
    this.apply = lane(SimLane.WAKE_NANOS_MAX);
    this.worker = lane(4 * SimLane.WAKE_NANOS_MAX);
    this.watching = lane(4 * SimLane.WAKE_NANOS_MAX);
    this.files = lane(machine.slowDiskNanosMax());
    this.peers = machine.world().peers().endpoint(this);
    // Of its own chance, so that the rest is as in a run without snapshots.
    this.snapshotRandom = machine.world().streams().of("snapshots " + machine.id() + " " + life);
    this.snapshotting =
        new SimLane(
            machine.world().time(),
            machine.clock(),
            snapshotRandom.split(),
            this,
            machine.slowDiskNanosMax());
  }

  private SimLane lane(long wakeNanosMax) {
    return new SimLane(machine.world().time(), machine.clock(), random.split(), this, wakeNanosMax);
  }

  Machine machine() {
    return machine;
  }

  NodeId id() {
    return machine.id();
  }

  /** How many processes ran on this machine before. */
  int life() {
    return life;
  }

  SimLane loop() {
    return loop;
  }

  PeerNetwork.Endpoint peers() {
    return peers;
  }

  /** Opens what is on the disk and starts the node. Throws what a real start would. */
  void open() {
    Tuning tuning = machine.world().options().tuning();
    DataDirectory directory =
        DataDirectory.open(
            machine.disk(), machine.config().clusterId(), machine.id(), random.split());
    directory.space(machine.config().space());
    LogConfig logConfig =
        LogConfig.DEFAULT
            .withEntryBytesMax(entryBytesMax(tuning))
            .withSegmentBytes(tuning.segmentBytes());
    StoredState state = StoredState.open(machine, directory, logConfig, snapshotRandom);
    KvStateMachine machineStore = state.store();
    Journal journal = machine.world().journal(machine);
    WatchedStore watched =
        new WatchedStore(
            machineStore,
            machine,
            journal,
            tuning.hashEvery(),
            machine.isStranger() ? new Chronicle() : machine.world().chronicle());
    MemberIdentity identity =
        new MemberIdentity(machine.config().clusterId(), machine.id(), directory.incarnation());
    ServingNode opened =
        ServingNode.open(
            machine.config(),
            logConfig,
            directory,
            machineStore,
            new ServingPorts(
                loop,
                log,
                apply,
                worker,
                watching,
                files::execute,
                peers,
                machine.clock(),
                random.split(),
                watched,
                WATCH_LIMITS,
                state.ports(directory, tuning.snapshots(), snapshotting),
                this::failed));
    policy = policy(identity, directory, machineStore);
    store = watched;
    boolean compares = tuning.snapshots().checkEntries() > 0;
    watch = new NodeWatch(opened, machine.id(), journal, state.snapshots(), compares);
    if (state.isReplaced()) {
      watched.tellInstalled(machineStore.restored());
    }
    serving = opened;
    var unused = opened.node().start();
  }

  private HelloPolicy policy(
      MemberIdentity identity, DataDirectory directory, KvStateMachine machineStore) {
    HelloPolicy hellos =
        new HelloPolicy(
            identity,
            directory.knownPeers(),
            directory.groupMark(machine.config().initial()),
            (peer, refusal) -> {
              // Nobody stops for that here.
            },
            machine.features(),
            machineStore::usedFeatures);
    // Whoever is configured may call, too: a node that joins knows nobody else.
    machine.config().configured().members().stream()
        .filter(member -> !member.equals(machine.id()))
        .forEach(hellos::admit);
    return hellos;
  }

  /** A small segment holds several entries; a large one the largest that a client may send. */
  private static int entryBytesMax(Tuning tuning) {
    return Math.max(ENTRY_BYTES_MAX, tuning.segmentBytes() - (240 << 10));
  }

  /** With whom it talks. */
  HelloPolicy policy() {
    if (policy == null) {
      throw new AssertionError("asked before it was opened");
    }
    return policy;
  }

  boolean isOpen() {
    return alive && serving != null;
  }

  ServingNode serving() {
    if (serving == null) {
      throw new AssertionError("asked before it was opened");
    }
    return serving;
  }

  WatchedStore store() {
    if (store == null) {
      throw new AssertionError("asked before it was opened");
    }
    return store;
  }

  @Override
  public boolean isAlive() {
    return alive;
  }

  /** Whether the node has stopped itself, so that the process is about to end. */
  boolean isEnding() {
    return ending;
  }

  /** It ends; nothing of it runs any more. */
  void forget() {
    alive = false;
  }

  /** Before it says something to a peer: all that has changed was told by then. */
  void look() {
    if (!looked && watch != null) {
      looked = true;
      watch.look();
    }
  }

  @Override
  public void stepped(SimLane lane) {
    looked = false;
  }

  @Override
  public void slept(SimLane lane) {
    if (lane == loop) {
      if (watch != null && !serving().node().isStopped()) {
        watch.look();
      }
    }
  }

  @Override
  public void uncaught(Throwable failure) {
    if (failure instanceof Error && !(failure instanceof SimulatedCrash)) {
      machine.world().unexplained(machine, failure);
    }
    failed(failure);
  }

  /** It could not be opened. */
  void refused(Throwable failure) {
    if (failure instanceof SimulatedCrash) {
      machine.losePower(String.valueOf(failure.getMessage()));
    } else {
      if (!machine.explains(failure)) {
        machine.world().unexplained(machine, failure);
      }
      machine.kill("did not start: " + failure.getMessage());
    }
  }

  /** The node stops itself, on any lane; its process follows when it has told whoever waits. */
  void failed(Throwable failure) {
    if (!alive || ending) {
      return;
    }
    ending = true;
    if (failure instanceof SimulatedCrash) {
      machine.losePower(String.valueOf(failure.getMessage()));
      return;
    }
    if (!machine.explains(failure)) {
      machine.world().unexplained(machine, failure);
      return;
    }
    machine.world().time().after(random.nextLong(20_000_000), () -> endBecauseOf(failure));
  }

  private void endBecauseOf(Throwable failure) {
    if (alive) {
      machine.kill("stopped itself: " + failure.getMessage());
    }
  }

  void slowDisk(long nanosMax) {
    log.slow(nanosMax);
    files.slow(nanosMax);
    snapshotting.slow(nanosMax);
  }

  void pause(long nanos) {
    for (LaneName lane : LaneName.values()) {
      pause(lane, nanos);
    }
    files.pause(nanos);
  }

  void pause(LaneName lane, long nanos) {
    lane(lane).pause(nanos);
  }

  private SimLane lane(LaneName name) {
    return switch (name) {
      case LOOP -> loop;
      case LOG -> log;
      case APPLY -> apply;
      case WORKER -> worker;
      case WATCH -> watching;
      case SNAPSHOT -> snapshotting;
    };
  }

  void resume() {
    for (LaneName lane : LaneName.values()) {
      lane(lane).resume();
    }
    files.resume();
  }
}
