package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Cue;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.LaneName;
import io.kvorum.simulator.plan.NodeFile;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A fault that never strikes, or strikes without effect, would be a test that cannot fail. */
@ExtendWith(QuietNodes.class)
class FaultEffectTest {
  private static final long MILLI_NANOS = 1_000_000;
  private static final long SECOND_NANOS = 1_000_000_000;

  /** Without any fault. */
  private static final SimResult CALM = run(List.of());

  /** Who leads the calm run: what happens to it, everybody notices. */
  private static final NodeId LEADER = leader();

  /** Clients watch where they were told of first. */
  private static final NodeId WATCHED = new NodeId("n1");

  private static final NodeId OTHER = new NodeId(LEADER.name().equals("n2") ? "n3" : "n2");
  private static final Fault.Weather STORM = new Fault.Weather(20 * MILLI_NANOS, 300, 100, 50);

  /** Plans in which every kind is to be found. */
  private static final int PLANS = 130;

  /** What has to happen in one of them. */
  private static final List<String> EFFECTS =
      List.of(
          "lost: cut",
          "lost: lost",
          "lost: receiver down",
          "lost: connection broken",
          "lost: heard by a stranger",
          "lost: refused",
          "stopped: killed",
          "stopped: power lost",
          "stopped: power lost before call",
          "stopped: power lost after call",
          "stopped: did not start",
          "stopped: Input/output error",
          "stopped: the disk is full",
          "snapshot: PUBLISHED",
          "snapshot: INSTALLED",
          "snapshot: LOG_CUT",
          "snapshot: LOG_RESET",
          "frame: LOST",
          "outcome: Done",
          "outcome: Failed",
          "outcome: Unknown");

  private static NodeId leader() {
    for (SimEvent event : CALM.trace()) {
      if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
        return taken.node();
      }
    }
    throw new AssertionError("nobody leads");
  }

  /** One of each kind, alone or after what it needs. */
  private static List<List<Fault>> scenarios() {
    List<List<Fault>> all = new ArrayList<>();
    for (Fault alone :
        List.of(
            new Fault.LosePower(LEADER),
            new Fault.LosePowerAtCall(LEADER, 5, true),
            new Fault.LosePowerAtCall(LEADER, 5, false),
            new Fault.Kill(LEADER),
            new Fault.Pause(LEADER, 700 * MILLI_NANOS),
            new Fault.Drift(LEADER, 40_000),
            new Fault.JumpForward(LEADER, 3 * SECOND_NANOS),
            new Fault.JumpWall(LEADER, 77_777),
            new Fault.FailDiskAtCall(LEADER, 3),
            new Fault.FailDiskAtRandom(LEADER, 200),
            new Fault.FillDisk(LEADER, 0),
            new Fault.SlowDisk(LEADER, 50 * MILLI_NANOS),
            new Fault.FlipBit(LEADER, NodeFile.VOTE, 0.01),
            new Fault.ZeroPage(LEADER, NodeFile.PEERS, 0),
            new Fault.LoseFile(LEADER, NodeFile.IDENTITY),
            new Fault.LoseFile(LEADER, NodeFile.STATE),
            new Fault.LoseFile(LEADER, NodeFile.SNAPSHOT_FILE),
            new Fault.FlipBit(LEADER, NodeFile.SNAPSHOT_MANIFEST, 0.5),
            new Fault.FlipState(LEADER, 0.5),
            new Fault.Wipe(LEADER),
            new Fault.Cut(LEADER, OTHER),
            new Fault.Isolate(LEADER),
            new Fault.Split(List.of(LEADER), 1),
            new Fault.Await(new Fault.Moment(Cue.APPENDED, 2, MILLI_NANOS), new Fault.Kill(LEADER)),
            new Fault.Break(LEADER, OTHER),
            new Fault.Transfer(OTHER),
            new Fault.ChangeMembers(List.of(LEADER, OTHER), List.of()),
            STORM,
            new Fault.CutClient(0, LEADER),
            new Fault.BreakClient(0, LEADER))) {
      all.add(List.of(alone));
    }
    for (LaneName lane : LaneName.values()) {
      NodeId busy = lane == LaneName.WATCH ? WATCHED : LEADER;
      all.add(List.of(new Fault.PauseLane(busy, lane, 500 * MILLI_NANOS)));
    }
    all.add(List.of(new Fault.Kill(LEADER), new Fault.Restart(LEADER)));
    all.add(List.of(new Fault.Isolate(LEADER), new Fault.Heal()));
    all.add(List.of(new Fault.FillDisk(LEADER, 200_000), new Fault.FreeDisk(LEADER)));
    // Whoever hears nothing more has noted soon how far its log is durable.
    all.add(List.of(new Fault.Isolate(OTHER), new Fault.ZeroTail(OTHER, 0.1)));
    all.add(List.of(new Fault.CopyDisk(LEADER), new Fault.RestoreCopy(LEADER)));
    return all;
  }

  /** Four nodes: even the one fault that nobody can notice, an old copy of a disk, does no harm. */
  @ParameterizedTest
  @MethodSource("scenarios")
  void eachFaultChangesTheRunAndBreaksNoPromise(List<Fault> faults) {
    List<TimedFault> timed = timed(faults);
    SimResult with = run(timed);
    SimResult without = timed.size() == 1 ? CALM : run(timed.subList(0, timed.size() - 1));

    assertThat(with.violation()).as("%s", faults).isNull();
    Set<Fault> struck = new HashSet<>();
    for (SimEvent event : with.trace()) {
      if (event instanceof SimEvent.FaultStruck fault) {
        struck.add(fault.fault());
      }
    }
    assertThat(struck).containsAll(faults);
    assertThat(hashWithoutFaults(with)).isNotEqualTo(hashWithoutFaults(without));
  }

  @Test
  void thereIsAScenarioForEachKind() {
    Set<String> kinds = new TreeSet<>();
    scenarios().forEach(faults -> faults.forEach(fault -> kinds.add(kind(fault))));
    assertThat(kinds).containsExactlyElementsOf(allKinds());
  }

  private static List<TimedFault> timed(List<Fault> faults) {
    List<TimedFault> timed = new ArrayList<>();
    long at = 2 * SECOND_NANOS;
    for (Fault fault : faults) {
      timed.add(new TimedFault(at, fault));
      at += SECOND_NANOS;
    }
    return timed;
  }

  /** Small logs, large values, little pause: snapshots are taken, and needed, all the time. */
  static Tuning busy() {
    Tuning base = Tuning.DEFAULT;
    return new Tuning(
        200,
        50,
        16 << 10,
        8,
        4,
        2000,
        50 * MILLI_NANOS,
        2,
        0,
        0,
        base.weather(),
        25,
        true,
        0,
        false,
        0,
        false,
        base.appendEntriesMax(),
        base.inflightMessagesMax(),
        0,
        false,
        new Snapshotting(16 << 10, 0, 0, 4 << 10, 1, 16, 0));
  }

  private static SimResult run(List<TimedFault> faults) {
    SimOptions options = new SimOptions(4, 2, 4, 10_000, 5 * SECOND_NANOS, busy());
    boolean forgetful =
        faults.stream().anyMatch(timed -> timed.fault() instanceof Fault.RestoreCopy);
    // A node that forgets, unnoticed, breaks its own promises; those of the cluster hold.
    return Simulation.run(
        new SimPlan(42, options, faults), forgetful ? List.of() : SimulationTest.checkers(), true);
  }

  private static long hashWithoutFaults(SimResult result) {
    TraceHash hash = new TraceHash();
    for (SimEvent event : result.trace()) {
      if (!(event instanceof SimEvent.FaultStruck)) {
        hash.add(event);
      }
    }
    return hash.value();
  }

  @Test
  void drawnPlansStrikeWithEveryKindAndEveryEffect() {
    Map<String, Integer> faults = new TreeMap<>();
    Map<String, Integer> effects = new TreeMap<>();
    List<String> drawn = new ArrayList<>(allKinds());
    // Nobody could tell the results of these from a defect: see Plans.
    drawn.removeAll(List.of("CopyDisk", "RestoreCopy"));
    boolean isLacking = true;
    for (long seed = 0; isLacking && seed < PLANS; seed++) {
      for (SimEvent event : Simulation.run(Plans.draw(seed), List.of(), true).trace()) {
        if (event instanceof SimEvent.FaultStruck struck) {
          faults.merge(kind(struck.fault()), 1, Integer::sum);
        } else {
          effects.merge(effect(event), 1, Integer::sum);
        }
      }
      isLacking = !faults.keySet().containsAll(drawn) || !effects.keySet().containsAll(EFFECTS);
    }
    assertThat(faults.keySet()).containsExactlyElementsOf(drawn);
    assertThat(effects).containsKeys(EFFECTS.toArray(new String[0]));
  }

  private static String effect(SimEvent event) {
    if (event instanceof SimEvent.Lost lost) {
      return "lost: " + lost.why().replaceFirst(":.*", "");
    }
    if (event instanceof SimEvent.SnapshotTold told) {
      return "snapshot: " + told.news();
    }
    if (event instanceof SimEvent.Framed framed) {
      return "frame: " + framed.news();
    }
    if (event instanceof SimEvent.Returned returned) {
      ClientOutcome outcome = returned.outcome();
      return "outcome: " + outcome.getClass().getSimpleName();
    }
    if (event instanceof SimEvent.Stopped stopped) {
      String why = stopped.why();
      for (String known :
          List.of(
              "power lost before call",
              "power lost after call",
              "did not start",
              "Input/output error",
              "the disk is full")) {
        if (why.contains(known)) {
          return "stopped: " + known;
        }
      }
      return "stopped: " + why;
    }
    return event.getClass().getSimpleName();
  }

  private static String kind(Fault fault) {
    return fault.getClass().getSimpleName();
  }

  private static List<String> allKinds() {
    return Arrays.stream(Fault.class.getPermittedSubclasses())
        .map(Class::getSimpleName)
        .sorted()
        .toList();
  }
}
