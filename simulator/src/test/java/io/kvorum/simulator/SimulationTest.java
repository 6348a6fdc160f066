package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of whole runs. */
@ExtendWith(QuietNodes.class)
class SimulationTest {
  private static final long SECOND_NANOS = 1_000_000_000;

  /** All but the search for a linear order, which belongs to the tests of the runner. */
  static List<Checker> checkers() {
    List<Checker> all = new ArrayList<>(Checkers.all());
    all.removeIf(checker -> checker.name().equals("Linearizability"));
    return all;
  }

  @Test
  void sameSeedSameTrace() {
    Set<Long> hashes = new HashSet<>();
    for (long seed = 100; seed < 105; seed++) {
      SimResult first = Simulation.run(Plans.draw(seed), List.of(), true);
      SimResult second = Simulation.run(Plans.draw(seed), List.of(), true);
      assertThat(second.traceHash()).as("plan %d", seed).isEqualTo(first.traceHash());
      assertThat(second.steps()).isEqualTo(first.steps());
      assertThat(second.trace()).hasSameSizeAs(first.trace());
      hashes.add(first.traceHash());
    }
    assertThat(hashes).as("different seeds").hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void aHealthyClusterElectsOnceAndServesAll(int nodes) {
    SimOptions options = new SimOptions(nodes, 2, 5, 100, 10 * SECOND_NANOS);
    SimPlan plan = new SimPlan(nodes, options, List.of());
    SimResult result = Simulation.run(plan, checkers(), true);

    assertThat(result.violation()).isNull();
    int leaders = 0;
    int calls = 0;
    // One that asks a single member is not tried again: there may be no leader yet.
    Set<Long> askedOnce = new HashSet<>();
    boolean isLinkBroken = false;
    for (SimEvent event : result.trace()) {
      // The last thing that happens to any cluster.
      isLinkBroken |=
          event instanceof SimEvent.FaultStruck struck && struck.fault() instanceof Fault.Cut;
      assertThat(event).isNotInstanceOf(SimEvent.Stopped.class);
      assertThat(isLinkBroken || !(event instanceof SimEvent.Lost)).as("%s", event).isTrue();
      if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
        leaders++;
      } else if (event instanceof SimEvent.Called called
          && called.call() instanceof ClientOperation.StaleGet) {
        calls++;
        askedOnce.add(called.operation());
      } else if (event instanceof SimEvent.Returned returned
          && !askedOnce.contains(returned.operation())) {
        calls++;
        assertThat(returned.outcome()).isInstanceOf(ClientOutcome.Done.class);
      }
    }
    assertThat(leaders).isEqualTo(1);
    assertThat(isLinkBroken).isEqualTo(nodes > 2);
    assertThat(calls).isGreaterThan(100);
  }

  @Test
  void aViolationOfACheckerEndsTheRun() {
    SimPlan plan = new SimPlan(1, new SimOptions(3, 1, 1, 10, SECOND_NANOS), List.of());
    SimResult result = Simulation.run(plan, List.of(new NobodyLeads()), true);

    assertThat(result.violation()).hasMessage("somebody leads");
    SimEvent last = result.trace().get(result.trace().size() - 1);
    assertThat(last).isInstanceOf(SimEvent.RoleTaken.class);
  }

  /** A promise that no cluster keeps. */
  private static final class NobodyLeads implements Checker {
    @Override
    public String name() {
      return "NobodyLeads";
    }

    @Override
    public void on(SimEvent event) {
      if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
        throw new Violation(name(), "somebody leads");
      }
    }
  }
}
