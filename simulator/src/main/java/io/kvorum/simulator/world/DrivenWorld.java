package io.kvorum.simulator.world;

import io.kvorum.api.KvClient;
import io.kvorum.client.Endpoint;
import io.kvorum.node.Loop;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.Refusal;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.server.store.LeaseRow;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A world in which nothing is planned: clients call, faults strike and time passes as somebody asks
 * for it from outside. For one thread.
 */
public final class DrivenWorld {
  private static final long RETRY_NANOS = 100_000_000;

  /** What becomes of it, the state shows. */
  private static final ProposalListener<ApplyResult> UNHEARD =
      new ProposalListener<>() {
        @Override
        public void applied(ApplyResult result) {}

        @Override
        public void refused(Refusal why) {}

        @Override
        public void unknown(String why) {}
      };

  /** Clients that may be connected. */
  public static final int CLIENTS_MAX = 256;

  /** How long a healthy disk takes, at most. */
  public static final long DISK_NANOS_MAX = SimLane.WAKE_NANOS_MAX;

  /** The most bytes of a key and its value. */
  static final int ENTRY_BYTES_MAX = 256 << 10;

  private static final int SEGMENT_BYTES = 2 * ENTRY_BYTES_MAX;
  private static final long START_NANOS_MAX = 20_000_000;
  private static final long CALL_NANOS_MAX = 60_000_000_000L;
  private static final Fault.Weather FINE = new Fault.Weather(500_000, 0, 0, 0);

  private final World world;
  private final SimOptions options;
  private final Injector injector;
  private final List<WatchedClient> clients = new ArrayList<>();

  /**
   * A world whose machines are about to start.
   *
   * @param sink is told every event, in order; a {@link Violation} from it ends the run
   */
  public DrivenWorld(long seed, int nodes, Consumer<SimEvent> sink) {
    this.options = new SimOptions(nodes, CLIENTS_MAX, 1, 0, 0, tuning());
    this.world =
        new World(
            new SimPlan(seed, options, List.of()),
            node -> TablesMedium.memory(options.tuning().flushEvery()),
            sink);
    this.injector = new Injector(world);
    SplittableRandom random = world.streams().of("start");
    for (Machine machine : world.machines()) {
      time().after(random.nextLong(START_NANOS_MAX), machine::start);
    }
  }

  private static Tuning tuning() {
    Tuning usual = Tuning.DEFAULT;
    return new Tuning(
        usual.electionMillis(),
        usual.heartbeatMillis(),
        SEGMENT_BYTES,
        usual.overlayRows(),
        usual.flushEvery(),
        usual.valueBytesMax(),
        usual.thinkNanosMax(),
        usual.pipeline(),
        usual.slowDisks(),
        usual.slowDiskNanosMax(),
        FINE,
        usual.hashEvery(),
        true,
        0,
        false,
        0,
        false,
        usual.appendEntriesMax(),
        usual.inflightMessagesMax(),
        0,
        false,
        usual.snapshots());
  }

  /** Its time, to be moved on. */
  public VirtualTime time() {
    return world.time();
  }

  /** The first promise that was broken, if one was. */
  public @Nullable Violation violation() {
    return world.journal().violation();
  }

  /** What a plan's faults may name. */
  public SimOptions options() {
    return options;
  }

  /** The names of all members, running or not. */
  public List<NodeId> nodes() {
    return world.machines().stream().map(Machine::id).toList();
  }

  /** A source of chance that the seed decides; the same for the same purpose. */
  public SplittableRandom random(String purpose) {
    return world.streams().of("driven: " + purpose);
  }

  /**
   * A new client, on a machine of its own; the faults know it by its number.
   *
   * @return one that must be used by whoever moves the time on, and by none else
   */
  public KvClient connect(String name) {
    int number = clients.size();
    if (number == CLIENTS_MAX) {
      throw new IllegalStateException("there are " + CLIENTS_MAX + " clients already");
    }
    List<Endpoint> endpoints = new ArrayList<>();
    world.machines().forEach(machine -> endpoints.add(World.endpoint(machine)));
    SimClient client = new SimClient(world, number, "client " + name, endpoints);
    world.callers().add(client);
    WatchedClient watched = new WatchedClient(world, client);
    clients.add(watched);
    return watched;
  }

  /** The thread that runs what belongs to that client's application; it stands still with it. */
  public Loop threadOf(int number) {
    return clients.get(number).process().callbacks();
  }

  /** The client's process stands still for so long, and does not know it. */
  public void pauseClient(int number, long nanos) {
    clients.get(number).process().pause(nanos);
  }

  /** Does that now, unless it makes no sense as things are. */
  public void strike(Fault fault) {
    injector.strike(fault);
  }

  /** Whether a process of that node runs. */
  public boolean isUp(NodeId node) {
    return world.machine(node).isUp();
  }

  /** Who leads the newest term, as far as a running node knows it of itself. */
  public Optional<NodeId> leader() {
    long term = -1;
    NodeId leader = null;
    for (Machine machine : world.machines()) {
      NodeProcess process = machine.process();
      if (process != null && process.isOpen()) {
        RaftStatus status = process.serving().node().status();
        if (status.role() == RoleName.LEADER && status.term() > term) {
          term = status.term();
          leader = machine.id();
        }
      }
    }
    return Optional.ofNullable(leader);
  }

  /** Whoever leads hands over to that node, if it can; if nobody leads, nothing happens. */
  public void transferLeadership(NodeId target) {
    Optional<NodeId> leader = leader();
    if (leader.isEmpty() || leader.get().equals(target)) {
      return;
    }
    NodeProcess process = world.machine(leader.get()).process();
    if (process != null) {
      process
          .loop()
          .execute(
              () -> {
                // Refused when it leads no more, or the other is too far behind: nothing is lost.
                boolean unused = process.serving().node().transferLeadership(target);
              });
    }
  }

  /** Whoever leads counts the lease's time as over, as soon as somebody leads. */
  public void expireLease(long lease) {
    onTheLeader(
        process -> {
          LeaseRow row = process.store().lease(lease);
          if (row != null) {
            process
                .serving()
                .node()
                .propose(Commands.leaseExpire(lease, row.renewedIndex(), 0), UNHEARD);
          }
        });
  }

  /** Whoever leads gives up the history before the revision, as soon as somebody leads. */
  public void compactHistory(long revision) {
    onTheLeader(
        process -> process.serving().node().propose(Commands.compact(revision, 0), UNHEARD));
  }

  private void onTheLeader(Consumer<NodeProcess> action) {
    Optional<NodeId> leader = leader();
    NodeProcess process = leader.map(id -> world.machine(id).process()).orElse(null);
    if (process == null) {
      world.time().after(RETRY_NANOS, () -> onTheLeader(action));
    } else {
      process.loop().execute(() -> action.accept(process));
    }
  }

  /** All cuts are mended, and the network is as it was at the start. */
  public void mendNetwork() {
    strike(FINE);
    strike(new Fault.Heal());
  }

  /** Network, disks and clocks are well again, pauses end, and every node that is down starts. */
  public void mendAll() {
    mendNetwork();
    for (Machine machine : world.machines()) {
      machine.calm();
      if (!machine.isWell()) {
        machine.repair();
      }
    }
  }

  /** Clients call no more, and every call under way ends by itself. */
  public void end() {
    clients.forEach(WatchedClient::end);
    if (!world.await(() -> world.workload().pending() == 0, CALL_NANOS_MAX)) {
      world
          .journal()
          .violated("EveryCallEndsOnce", world.workload().pending() + " calls have no end");
    }
  }

  /** Clients call no more; all is healed, has to get on, and to come to rest. */
  public void recover() {
    clients.forEach(WatchedClient::end);
    new Recovery(world).run();
  }
}
