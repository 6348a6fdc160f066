package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Entry;
import io.kvorum.raft.EntryType;
import io.kvorum.server.store.protocol.Check;
import io.kvorum.server.store.protocol.Command;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Whom;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FAULTS F165: one member stops at a check, so there is none. */
class OlderMemberTest {
  private static final long SECOND_NANOS = 1_000_000_000;

  private static SimResult run(int lackingNode) {
    Snapshotting comparing = new Snapshotting(16 << 10, 0, 0, 4 << 10, 1, 16, lackingNode);
    SimOptions options =
        new SimOptions(
            3, 2, 4, 10_000, 5 * SECOND_NANOS, FaultEffectTest.busy().withSnapshots(comparing));
    List<TimedFault> faults =
        List.of(
            new TimedFault(2 * SECOND_NANOS, new Fault.Kill(Whom.LEADER.id())),
            new TimedFault(3 * SECOND_NANOS, new Fault.Restart(Whom.FALLEN.id())));
    return Simulation.run(new SimPlan(7, options, faults), SimulationTest.checkers(), true);
  }

  private static long checks(SimResult result) {
    byte[] check = Command.newBuilder().setCheck(Check.getDefaultInstance()).build().toByteArray();
    long payload = EntryDigest.of(new Entry(1, 1, EntryType.COMMAND, check)).payloadHash();
    return result.trace().stream()
        .filter(event -> event instanceof SimEvent.Applied)
        .map(SimEvent.Applied.class::cast)
        .filter(applied -> applied.entry().payloadHash() == payload)
        .count();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void nobodyStopsAndNothingIsCompared(int older) {
    SimResult result = run(older);
    assertThat(result.violation()).isNull();
    assertThat(checks(result)).isZero();
  }

  @Test
  void withoutItTheStatesAreCompared() {
    SimResult result = run(0);
    assertThat(result.violation()).isNull();
    assertThat(checks(result)).isPositive();
  }

  @Test
  void suchRunsAreDrawn() {
    long drawn = 0;
    for (long seed = 1; seed <= 400; seed++) {
      Snapshotting settings = Plans.draw(seed).options().tuning().snapshots();
      if (settings.lackingNode() > 0) {
        assertThat(settings.checkEntries()).isPositive();
        drawn++;
      }
    }
    assertThat(drawn).isBetween(8L, 80L);
  }
}
