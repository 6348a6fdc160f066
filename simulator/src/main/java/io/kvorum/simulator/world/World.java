package io.kvorum.simulator.world;

import io.kvorum.client.Endpoint;
import io.kvorum.raft.NodeId;
import io.kvorum.server.Member;
import io.kvorum.server.ServerConfig;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.SimEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything there is in a run: time, machines, networks, clients; and what a plan does to them.
 *
 * <p>A run has two phases. First faults strike while clients call. Then {@link Recovery} heals what
 * there is to heal, and the cluster has to get on.
 */
public final class World {
  private static final int CLIENT_PORT = 7400;
  private static final int PEER_PORT = 7500;
  private static final long START_NANOS_MAX = 100_000_000;

  private final SimPlan plan;
  private final Streams streams;
  private final VirtualTime time = new VirtualTime();
  private final Journal journal;
  private final Cues cues;
  private final Aim aim;
  private final Group group;
  private final Journal silence;
  private final List<Machine> machines = new ArrayList<>();
  private final List<SimClient> callers = new ArrayList<>();
  private final PeerNetwork peers;
  private final ClientNetwork clients;
  private final Workload workload;
  private final LeaseLoad leaseLoad;
  private final HistoryLoad historyLoad;
  private final OnceLoad onceLoad;
  private final QuotaLoad quotaLoad;
  private final Chronicle chronicle = new Chronicle();
  private final WatchLoad watches;

  private long safetyEndNanos;

  /**
   * A world in which nothing has happened.
   *
   * @param tables for each member
   * @param sink is told every event, in order; what it throws ends the run
   */
  public World(SimPlan plan, Function<NodeId, TablesMedium> tables, Consumer<SimEvent> sink) {
    this.plan = plan;
    this.safetyEndNanos = plan.options().safetyNanos();
    this.streams = new Streams(plan.seed());
    this.cues = new Cues(time);
    this.aim = new Aim(this);
    LeaderLeases leases = new LeaderLeases(this);
    IsolatedLeaders isolated = new IsolatedLeaders(this);
    this.journal =
        new Journal(
            time,
            event -> {
              sink.accept(event);
              aim.hear(event);
              leases.hear(event);
              isolated.hear(event);
              cues.hear(event);
            });
    this.silence = new Journal(time, nobodyHears -> {});
    List<Member> members = new ArrayList<>();
    for (int i = 1; i <= options().nodes(); i++) {
      members.add(new Member(new NodeId("n" + i), "n" + i, CLIENT_PORT, PEER_PORT));
    }
    List<Member> first = members.subList(0, members.size() - options().tuning().joiners());
    for (Member member : members) {
      TablesMedium medium = tables.apply(member.id());
      boolean joins = !first.contains(member);
      ServerConfig config = config(member.id(), joins ? members : first, joins);
      machines.add(new Machine(this, machines.size(), config, medium));
    }
    this.group = new Group(this);
    this.peers = new PeerNetwork(this, machines, options().tuning().weather());
    this.clients = new ClientNetwork(this, options().clients() + machines.size(), machines.size());
    this.workload = new Workload(this);
    this.leaseLoad = new LeaseLoad(this);
    this.historyLoad = new HistoryLoad(this);
    this.onceLoad = new OnceLoad(this, leaseLoad.isBusy());
    this.quotaLoad = new QuotaLoad(this);
    this.watches = new WatchLoad(this);
  }

  private ServerConfig config(NodeId id, List<Member> members, boolean joins) {
    Tuning tuning = options().tuning();
    return ServerConfig.embedded(Path.of("simulated"))
        .nodeId(id.name())
        .clusterId("simulated")
        .members(members)
        .join(joins)
        .timing(
            new ServerConfig.Timing(
                tuning.leaseReads(),
                tuning.prefersFirst() ? List.of(new NodeId("n1")) : List.of(),
                Duration.ofMillis(tuning.quietAfterMillis())))
        .sending(new ServerConfig.Sending(tuning.appendEntriesMax(), tuning.inflightMessagesMax()))
        .electionTimeout(Duration.ofMillis(tuning.electionMillis()))
        .heartbeat(Duration.ofMillis(tuning.heartbeatMillis()))
        .space(tuning.space())
        .segmentBytes(8 << 20)
        .blockCacheBytes(1 << 20)
        .build();
  }

  /** Runs the plan to its end, or to the first violation, which it returns. */
  public @Nullable Violation run() {
    begin();
    while (journal.violation() == null && time.step(safetyEndNanos)) {
      // Step by step: each may be the last one of this phase.
    }
    if (journal.violation() == null) {
      new Recovery(this).run();
    }
    return journal.violation();
  }

  private void begin() {
    SplittableRandom random = streams.of("start");
    for (Machine machine : machines) {
      time.after(random.nextLong(START_NANOS_MAX), machine::start);
    }
    Injector injector = new Injector(this);
    for (TimedFault timed : plan.faults()) {
      time.after(timed.atNanos(), () -> strike(injector, timed.fault()));
    }
    List<Endpoint> endpoints = new ArrayList<>();
    machines.forEach(machine -> endpoints.add(endpoint(machine)));
    for (int i = 0; i < options().clients(); i++) {
      callers.add(new SimClient(this, i, "client " + i, endpoints));
    }
    workload.begin(callers);
    leaseLoad.begin(callers);
    historyLoad.begin(callers);
    onceLoad.begin(callers);
    quotaLoad.begin(callers);
    watches.begin(callers);
  }

  /** Nothing strikes once the recovery has begun. */
  private void strike(Injector injector, Fault fault) {
    if (time.nowNanos() < safetyEndNanos) {
      injector.strike(fault);
    }
  }

  /** As it stands in a membership. */
  static String address(Machine machine) {
    return machine.id() + ":" + CLIENT_PORT + ":" + PEER_PORT;
  }

  static Endpoint endpoint(Machine machine) {
    return new Endpoint(machine.id().name(), CLIENT_PORT);
  }

  /** No more faults: the phase of recovery begins now. */
  void recoverNow() {
    cues.end();
    safetyEndNanos = time.nowNanos();
  }

  /** Runs until the condition holds, for at most so long; says whether it holds. */
  boolean await(BooleanSupplier condition, long nanosMax) {
    long end = time.nowNanos() + nanosMax;
    while (!condition.getAsBoolean()) {
      if (journal.violation() != null || !time.step(end)) {
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  /** A node failed, and no fault that was made explains it. */
  void unexplained(Machine machine, Throwable failure) {
    journal.violated(
        "NodesFailOfFaultsOnly", machine.id() + " failed without a fault: " + Texts.of(failure));
  }

  /** Whether every other member has met this one and remembers its disk. */
  boolean isKnownToAll(NodeId node) {
    for (Machine other : machines) {
      boolean knows =
          other.id().equals(node)
              || (other.disk().names().contains("peers")
                  && new String(other.disk().content("peers"), StandardCharsets.UTF_8)
                      .contains("\n" + node + " "));
      if (!knows) {
        return false;
      }
    }
    return true;
  }

  Machine machine(NodeId id) {
    return machineAt(id.name());
  }

  Machine machineAt(String host) {
    for (Machine machine : machines) {
      if (machine.id().name().equals(host)) {
        return machine;
      }
    }
    throw new IllegalArgumentException("there is no machine " + host);
  }

  Group group() {
    return group;
  }

  List<Machine> machines() {
    return machines;
  }

  List<SimClient> callers() {
    return callers;
  }

  SimOptions options() {
    return plan.options();
  }

  Streams streams() {
    return streams;
  }

  /** Its time. */
  public VirtualTime time() {
    return time;
  }

  Journal journal() {
    return journal;
  }

  /** Where that machine's node is written down: a stranger's doings are nobody's. */
  Journal journal(Machine machine) {
    return machine.isStranger() ? silence : journal;
  }

  Cues cues() {
    return cues;
  }

  Aim aim() {
    return aim;
  }

  PeerNetwork peers() {
    return peers;
  }

  ClientNetwork clients() {
    return clients;
  }

  Workload workload() {
    return workload;
  }

  LeaseLoad leaseLoad() {
    return leaseLoad;
  }

  QuotaLoad quotaLoad() {
    return quotaLoad;
  }

  HistoryLoad historyLoad() {
    return historyLoad;
  }

  OnceLoad onceLoad() {
    return onceLoad;
  }

  WatchLoad watches() {
    return watches;
  }

  /** What has been applied. */
  Chronicle chronicle() {
    return chronicle;
  }
}
