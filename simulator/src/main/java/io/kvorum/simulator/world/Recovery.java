package io.kvorum.simulator.world;

import io.kvorum.api.Bytes;
import io.kvorum.client.RemoteKvClient;
import io.kvorum.node.ProposalListener;
import io.kvorum.node.RaftNode;
import io.kvorum.node.Refusal;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.server.store.ApplyResult;
import io.kvorum.server.store.Commands;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The second phase of a run: all is healed, so all has to go on. What was pending ends; a write and
 * a read through every live node succeed; then the cluster comes to rest, equal everywhere. At last
 * one link breaks, which must not trouble the others.
 */
final class Recovery {
  private static final long SECOND_NANOS = 1_000_000_000;

  /** A client gives up after a few seconds, an election takes a few timeouts of a second. */
  private static final long BOUND_NANOS = 60 * SECOND_NANOS;

  private static final Fault.Weather FINE = new Fault.Weather(500_000, 0, 0, 0);

  /** Far from those of the workload. */
  private static final int PROBE_CALLER_FIRST = 1_000;

  /** A follower that hears no leader asks for votes within two. */
  private static final int BROKEN_LINK_ELECTIONS = 3;

  private final World world;
  private final Workload workload;
  private final List<SimClient> probes = new ArrayList<>();
  private long healedAt;

  Recovery(World world) {
    this.world = world;
    this.workload = world.workload();
  }

  void run() {
    workload.end();
    world.cues().end();
    world.leaseLoad().end();
    world.historyLoad().end();
    world.onceLoad().end();
    world.quotaLoad().end();
    world.watches().end();
    heal();
    require("every call under way ends", () -> workload.pending() == 0);
    require("nobody refuses for lack of space any more", () -> isSettled() && hasSpace());
    mendStates();
    // Who was low on space, or had a wrong state, may just be handing over.
    require("the group has settled on its members", this::isSettled);
    for (Machine machine : live()) {
      probes.add(
          new SimClient(
              world,
              world.options().clients() + machine.number(),
              "probe " + machine.id(),
              List.of(World.endpoint(machine))));
    }
    if (probes.isEmpty()) {
      fail("somebody takes part");
      return;
    }
    world.quotaLoad().lift(probes.get(0));
    require("the quota is taken away", world.quotaLoad()::isLifted);
    for (int i = 0; i < probes.size(); i++) {
      Bytes key = Bytes.utf8("probe-" + i);
      put(i, key);
      untilDone(i, new ClientOperation.Get(key));
    }
    for (int i = 0; i < world.options().keys(); i++) {
      untilDone(i % probes.size(), new ClientOperation.Get(Workload.key(i)));
    }
    untilDone(0, new ClientOperation.Range(Workload.ALL));
    world.onceLoad().readAll(probes.get(0));
    require("what was written once is read", world.onceLoad()::isAllRead);
    if (world.leaseLoad().isEnded()) {
      require("leases that nobody renews have ended", this::isWithoutLeases);
    }
    require("what is compacted has been removed", this::isCompacted);
    rest();
    catchUp();
    breakOneLink();
  }

  /**
   * A state that a fault has changed is found and rebuilt: when all of it is read once, as by any
   * snapshot, and the log moves.
   */
  private void mendStates() {
    List<Machine> wrong = live().stream().filter(Machine::isDoubtful).toList();
    long end = world.time().nowNanos() + BOUND_NANOS;
    while (wrong.stream().anyMatch(Machine::isDoubtful) && world.journal().violation() == null) {
      if (world.time().nowNanos() > end) {
        fail("states that are wrong are found and rebuilt");
        return;
      }
      wrong.stream().filter(Machine::isDoubtful).forEach(Recovery::readAll);
      NodeProcess leader = world.group().leader();
      if (leader != null) {
        RaftNode<ApplyResult> node = leader.serving().node();
        byte[] nothing = Commands.leaseRenew(List.of(1L), 0);
        leader.loop().execute(() -> node.propose(nothing, new Ignored()));
      }
      world.await(() -> false, SECOND_NANOS / 20);
    }
  }

  private static void readAll(Machine machine) {
    NodeProcess process = machine.process();
    if (process != null && process.isOpen()) {
      process
          .loop()
          .execute(
              () -> {
                var unused = process.serving().node().takeSnapshot();
              });
    }
  }

  /** Whatever becomes of a proposal. */
  private record Ignored() implements ProposalListener<ApplyResult> {
    @Override
    public void applied(ApplyResult result) {}

    @Override
    public void refused(Refusal why) {}

    @Override
    public void unknown(String why) {}
  }

  private boolean isWithoutLeases() {
    return live().stream().allMatch(machine -> hasNoLeases(machine.process()));
  }

  private static boolean hasNoLeases(@Nullable NodeProcess process) {
    return process != null && process.isOpen() && process.store().isWithoutLeases();
  }

  private boolean isCompacted() {
    return live().stream().allMatch(machine -> hasRemoved(machine.process()));
  }

  private static boolean hasRemoved(@Nullable NodeProcess process) {
    return process != null && process.isOpen() && process.store().hasRemovedAll();
  }

  private void heal() {
    healedAt = world.time().nowNanos();
    Injector injector = new Injector(world);
    injector.strike(FINE);
    injector.strike(new Fault.Heal());
    world.machines().forEach(Machine::calm);
    List<Machine> sick = new ArrayList<>(world.machines());
    sick.removeIf(machine -> machine.isWell() || machine.isRemoved());
    int majority = world.machines().size() / 2 + 1;
    // Whoever does not vote yet counts for nobody's majority.
    int lacking = (int) world.machines().stream().filter(Recovery::runsLacking).count();
    int well = world.machines().size() - sick.size() - lacking;
    // Who is wrong can be said only by a majority besides.
    boolean all =
        world.options().tuning().healAll()
            || world.machines().stream().anyMatch(Machine::isDoubtful);
    int needed = all ? sick.size() : Math.min(sick.size(), Math.max(0, majority - well));
    SplittableRandom random = world.streams().of("recovery");
    for (int i = 0; i < needed; i++) {
      List<Machine> sound = sick.stream().filter(Machine::isSound).toList();
      List<Machine> choice = sound.isEmpty() ? sick : sound;
      Machine chosen = choice.get(random.nextInt(choice.size()));
      sick.remove(chosen);
      chosen.repair();
    }
    sick.forEach(machine -> machine.kill("not needed any more"));
  }

  private static boolean runsLacking(Machine machine) {
    return machine.isWell() && machine.lacksLog();
  }

  /** Members that run. Whoever is no member need not get on. */
  private List<Machine> live() {
    Membership members = world.group().members();
    return world.machines().stream()
        .filter(machine -> machine.isWell() && members.isMember(machine.id()))
        .toList();
  }

  /** A change that was begun is finished, and all members that run act by the same membership. */
  private boolean isSettled() {
    Membership members = world.group().members();
    if (members.isEmpty() || members.isJoint()) {
      return false;
    }
    for (Machine machine : live()) {
      NodeProcess process = machine.process();
      if (process == null
          || !process.isOpen()
          || !process.serving().node().status().membership().equals(members)) {
        return false;
      }
    }
    return true;
  }

  /** No disk is full any more, and who has said that its is has said that it is not. */
  private boolean hasSpace() {
    for (Machine machine : live()) {
      NodeProcess process = machine.process();
      boolean refuses =
          process == null
              || !process.isOpen()
              || process.serving().node().spaceStatus().isLow()
              || process.serving().node().spaceRefusal() != null;
      if (refuses) {
        return false;
      }
    }
    return true;
  }

  private void put(int probe, Bytes key) {
    boolean done = false;
    for (int attempt = 0; !done && world.journal().violation() == null; attempt++) {
      Bytes value = Bytes.utf8("probe-" + probe + "-" + attempt);
      done = call(probe, new ClientOperation.Put(key, value)) instanceof ClientOutcome.Done;
      requireAttempts(attempt, "a put through " + probes.get(probe).name());
    }
  }

  private void untilDone(int probe, ClientOperation read) {
    boolean done = false;
    for (int attempt = 0; !done && world.journal().violation() == null; attempt++) {
      done = call(probe, read) instanceof ClientOutcome.Done;
      requireAttempts(attempt, "a read through " + probes.get(probe).name());
    }
  }

  /** A client tries for seconds by itself before it gives up. */
  private void requireAttempts(int attempt, String what) {
    if (attempt == 10) {
      fail(what + " succeeds");
    }
  }

  private ClientOutcome call(int probe, ClientOperation operation) {
    Workload.Answer answer = new Workload.Answer();
    workload.call(probes.get(probe), PROBE_CALLER_FIRST + probe, operation, answer);
    require(operation + " ends", () -> answer.outcome() != null);
    ClientOutcome outcome = answer.outcome();
    return outcome == null ? new ClientOutcome.Unknown("the run is over") : outcome;
  }

  private void rest() {
    require("all live nodes apply the same", this::isAtRest);
    if (world.journal().violation() != null) {
      return;
    }
    for (Machine machine : live()) {
      NodeProcess process = machine.process();
      if (process != null) {
        process.store().tellHash();
      }
    }
    List<SimClient> all = new ArrayList<>(world.callers());
    all.addAll(probes);
    for (SimClient client : all) {
      RemoteKvClient real = client.client();
      if (real.inflightCalls() != 0 || real.inflightBytes() != 0) {
        fail("client " + client.name() + " has nothing under way");
      }
    }
  }

  /**
   * The leader and one follower do not hear each other for a while, all others hear both. They have
   * no reason for an election, whatever the follower asks them; nor has anybody when the link is
   * mended (thesis §4.2.3, FAULTS F006).
   */
  private void breakOneLink() {
    NodeProcess leader = world.group().leader();
    // Whoever is preferred may take over; and an order to campaign may still be on its way.
    boolean isCertain =
        !world.options().tuning().prefersFirst() && !world.peers().mayDeliverFromBefore(healedAt);
    if (leader == null || !isCertain) {
      return;
    }
    SortedSet<NodeId> voters = new TreeSet<>(world.group().members().voters());
    voters.retainAll(live().stream().map(Machine::id).toList());
    boolean hasMajority = voters.size() > world.group().members().majority();
    voters.remove(leader.id());
    if (voters.isEmpty() || !hasMajority) {
      return;
    }
    long term = leader.serving().node().term();
    Injector injector = new Injector(world);
    injector.strike(new Fault.Cut(leader.id(), voters.last()));
    injector.strike(new Fault.Cut(voters.last(), leader.id()));
    long electionNanos = 1_000_000L * world.options().tuning().electionMillis();
    world.await(() -> false, BROKEN_LINK_ELECTIONS * electionNanos);
    injector.strike(new Fault.Heal());
    world.await(() -> false, electionNanos);
    if (leader.serving().node().term() != term) {
      fail("one broken link between " + leader.id() + " and " + voters.last() + " deposes nobody");
    }
  }

  /** Every watch that is open gets everything, wherever it is served now. */
  private void catchUp() {
    if (world.journal().violation() != null) {
      return;
    }
    world.watches().askAll();
    long newest = world.chronicle().newest();
    if (!world.await(() -> world.watches().behind(newest).isEmpty(), BOUND_NANOS)) {
      fail("every watch catches up: " + world.watches().behind(newest));
    }
  }

  private boolean isAtRest() {
    long applied = -1;
    for (Machine machine : live()) {
      NodeProcess process = machine.process();
      if (process == null || !process.isOpen()) {
        return false;
      }
      RaftStatus status = process.serving().node().status();
      long own = process.store().appliedIndex();
      boolean rests =
          status.last().index() == own
              && status.durableIndex() == own
              && status.commitIndex() == own
              && status.uncommittedBytes() == 0
              && status.pendingReads() == 0
              && process.serving().node().pendingProposals() == 0;
      if (!rests || (applied >= 0 && applied != own)) {
        return false;
      }
      applied = own;
    }
    return true;
  }

  private void require(String promise, BooleanSupplier condition) {
    if (!world.await(condition, BOUND_NANOS)) {
      fail(promise);
    }
  }

  private void fail(String promise) {
    StringBuilder text = new StringBuilder("healed, but not within its time: ").append(promise);
    for (Machine machine : world.machines()) {
      text.append("\n  ").append(describe(machine));
    }
    world.journal().violated("Liveness", text.toString());
  }

  private static String describe(Machine machine) {
    NodeProcess process = machine.process();
    if (process == null || !process.isOpen()) {
      return machine.id() + " is down";
    }
    RaftStatus status = process.serving().node().status();
    return machine.id()
        + " is "
        + status.role()
        + " of term "
        + status.term()
        + ", leader "
        + status.leader()
        + ", log to "
        + status.last()
        + ", durable "
        + status.durableIndex()
        + ", committed "
        + status.commitIndex()
        + ", applied "
        + process.store().appliedIndex()
        + ", proposals "
        + process.serving().node().pendingProposals()
        + ", progress "
        + status.progress();
  }
}
