package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Cue;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.plan.Whom;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of faults that mean whoever it is by then ({@link Whom}) and wait for a moment ({@link Cue}). */
@ExtendWith(QuietNodes.class)
class AimedFaultTest {
  private static final long MILLI_NANOS = 1_000_000;
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final NodeId LEADER = Whom.LEADER.id();

  /** Three nodes and two clients; each fault a second after the one before, from 3 s on. */
  private static List<SimEvent> run(Fault... faults) {
    return run(new SimOptions(3, 2, 3, 300, 12 * SECOND_NANOS), faults);
  }

  private static List<SimEvent> run(SimOptions options, Fault... faults) {
    List<TimedFault> timed = new ArrayList<>();
    for (Fault fault : faults) {
      timed.add(new TimedFault((3 + timed.size()) * SECOND_NANOS, fault));
    }
    SimResult result =
        Simulation.run(new SimPlan(7, options, timed), SimulationTest.checkers(), true);
    assertThat(result.violation()).isNull();
    return result.trace();
  }

  /** What struck of that kind, first. */
  private static <F extends Fault> F struck(List<SimEvent> trace, Class<F> kind) {
    return kind.cast(
        trace.get(indexOf(trace, kind)) instanceof SimEvent.FaultStruck struck
            ? struck.fault()
            : null);
  }

  private static int indexOf(List<SimEvent> trace, Class<? extends Fault> kind) {
    for (int i = 0; i < trace.size(); i++) {
      if (trace.get(i) instanceof SimEvent.FaultStruck struck && kind.isInstance(struck.fault())) {
        return i;
      }
    }
    throw new AssertionError("no " + kind.getSimpleName() + " has struck");
  }

  /** Who led last before that event. */
  private static SimEvent.RoleTaken ledBefore(List<SimEvent> trace, int index) {
    for (int i = index; i >= 0; i--) {
      if (trace.get(i) instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
        return taken;
      }
    }
    throw new AssertionError("nobody has led");
  }

  @Test
  void theLeaderIsWhoLeadsThenAndTheFallenWhoFell() {
    List<SimEvent> trace = run(new Fault.Kill(LEADER), new Fault.Restart(Whom.FALLEN.id()));

    NodeId led = ledBefore(trace, indexOf(trace, Fault.Kill.class)).node();
    assertThat(struck(trace, Fault.Kill.class).node()).isEqualTo(led);
    assertThat(struck(trace, Fault.Restart.class).node()).isEqualTo(led);
  }

  @Test
  void nothingStrikesWhenNobodyIsMeant() {
    List<SimEvent> trace =
        run(
            new Fault.Restart(Whom.FALLEN.id()),
            new Fault.Kill(Whom.CANDIDATE.id()),
            new Fault.Kill(Whom.PREDECESSOR.id()));

    assertThat(trace)
        .noneMatch(
            event ->
                event instanceof SimEvent.FaultStruck struck
                    && (struck.fault() instanceof Fault.Kill
                        || struck.fault() instanceof Fault.Restart));
  }

  @Test
  void allButTheLeaderAreDeputyAndLaggardAndThePredecessorLedBefore() {
    List<SimEvent> trace =
        run(
            new Fault.Transfer(Whom.DEPUTY.id()),
            new Fault.Split(
                List.of(Whom.DEPUTY.id(), Whom.LAGGARD.id(), LEADER, Whom.PREDECESSOR.id()), 0));

    List<NodeId> side = struck(trace, Fault.Split.class).side();
    int split = indexOf(trace, Fault.Split.class);
    assertThat(side).hasSize(3).containsOnlyOnceElementsOf(new TreeSet<>(side));
    assertThat(side.get(2)).isEqualTo(ledBefore(trace, split).node());
    assertThat(struck(trace, Fault.Transfer.class).to()).isEqualTo(side.get(2));
  }

  @Test
  void aFaultThatWaitsStrikesAtItsMomentOnce() {
    Fault then = new Fault.Split(List.of(LEADER), 0);
    Fault.Moment moment = new Fault.Moment(Cue.ELECTED, 1, 5 * MILLI_NANOS);

    List<SimEvent> trace = run(new Fault.Await(moment, then), new Fault.Kill(LEADER));

    int at = indexOf(trace, Fault.Split.class);
    SimEvent.RoleTaken elected = ledBefore(trace, at);
    assertThat(elected.atNanos()).isGreaterThan(4 * SECOND_NANOS);
    assertThat(trace.get(at).atNanos()).isEqualTo(elected.atNanos() + 5 * MILLI_NANOS);
    assertThat(struck(trace, Fault.Split.class).side()).containsExactly(elected.node());
    assertThat(indexOf(trace.subList(0, at + 1), Fault.Split.class)).isEqualTo(at);
  }

  @Test
  void aMomentIsCounted() {
    Fault.Moment moment = new Fault.Moment(Cue.DELIVERED, 4, 0);

    List<SimEvent> trace = run(new Fault.Await(moment, new Fault.Kill(LEADER)));

    long delivered =
        trace.subList(indexOf(trace, Fault.Await.class), indexOf(trace, Fault.Kill.class)).stream()
            .filter(
                event ->
                    event instanceof SimEvent.Delivered one
                        && one.envelope().message() instanceof Message.AppendEntries append
                        && !append.entries().isEmpty())
            .count();
    assertThat(delivered).isEqualTo(4);
  }

  /** What brings each of them about; those that come by themselves need nothing. */
  @ParameterizedTest
  @EnumSource(Cue.class)
  void eachMomentComes(Cue cue) {
    Fault heal = new Fault.Heal();
    Fault await = new Fault.Await(new Fault.Moment(cue, 1, 0), heal);

    boolean ofSnapshots = cue == Cue.SNAPSHOT_MOVED || cue == Cue.INSTALLED;
    SimOptions options =
        new SimOptions(
            3,
            2,
            3,
            ofSnapshots ? 10_000 : 300,
            12 * SECOND_NANOS,
            ofSnapshots ? FaultEffectTest.busy() : Tuning.DEFAULT);
    List<SimEvent> trace =
        run(
            options,
            await,
            new Fault.Transfer(Whom.LAGGARD.id()),
            new Fault.Kill(Whom.DEPUTY.id()),
            new Fault.Restart(Whom.FALLEN.id()),
            new Fault.Split(List.of(LEADER), 2),
            new Fault.Split(List.of(), 0));

    long heals =
        trace.stream()
            .filter(event -> event instanceof SimEvent.FaultStruck one && one.fault().equals(heal))
            .count();
    // One is this, one begins the recovery, and one mends the link that is broken in the end.
    assertThat(heals).isEqualTo(3);
  }

  @Test
  void aSplitLetsNothingAcrossUntilItIsAnotherOne() {
    List<SimEvent> trace = run(new Fault.Split(List.of(LEADER), 1), new Fault.Split(List.of(), 0));

    int split = indexOf(trace, Fault.Split.class);
    NodeId alone = struck(trace, Fault.Split.class).side().get(0);
    List<SimEvent> after = trace.subList(split + 1, trace.size());
    int mended = indexOf(after, Fault.Split.class);
    assertThat(after.subList(0, mended)).noneMatch(event -> isAcross(event, alone));
    assertThat(after.subList(mended, after.size())).anyMatch(event -> isAcross(event, alone));
  }

  private static boolean isAcross(SimEvent event, NodeId alone) {
    if (!(event instanceof SimEvent.Delivered delivered)) {
      return false;
    }
    Envelope envelope = delivered.envelope();
    return envelope.from().equals(alone) || envelope.to().equals(alone);
  }
}
