package io.kvorum.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.api.Bytes;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.plan.Snapshotting;
import io.kvorum.simulator.plan.TimedFault;
import io.kvorum.simulator.plan.Tuning;
import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An acknowledged write is on the disks of a majority: all nodes lose power at once, at every step
 * that any of them takes towards its disk, and nothing acknowledged may be missing afterwards
 * (FAULTS F001, F022, F029, F043, F053).
 */
@ExtendWith(QuietNodes.class)
class PowerLossTest {
  private static final int OPERATIONS = 40;

  @ParameterizedTest(name = "{0} nodes, power lost {2} a call of machine {1}")
  @CsvSource({
    "1, 1, before",
    "1, 1, after",
    "3, 1, before",
    "3, 1, after",
    "3, 2, before",
    "3, 2, after",
    "3, 3, before",
    "3, 3, after"
  })
  void noAcknowledgedWriteIsLostWhereverThePowerFails(int size, int machine, String when) {
    int call = 0;
    int checked = 0;
    boolean struck = true;
    while (struck) {
      call++;
      Run run = new Run(size, new NodeId("n" + machine), call, when.equals("after"));
      run.run();
      struck = run.struck;
      checked += run.survives.checked();
    }
    assertThat(call).as("steps tried").isGreaterThan(30);
    assertThat(checked).as("reads compared").isGreaterThan(call);
  }

  /** One loss of power, and what comes after it. */
  private static final class Run {
    private final NodeId doomed;
    private final String replay;
    private final World world;
    private final AcknowledgedSurvives survives = new AcknowledgedSurvives();
    private final List<Checker> checkers = new ArrayList<>(Checkers.all());
    private boolean struck;

    Run(int size, NodeId doomed, int call, boolean after) {
      this.doomed = doomed;
      this.checkers.add(survives);
      Fault fault = new Fault.LosePowerAtCall(doomed, call, after);
      this.replay = size + " nodes, " + fault;
      SimPlan plan = new SimPlan(call, options(size), List.of(new TimedFault(0, fault)));
      this.world = new World(plan, node -> TablesMedium.memory(3), this::happened);
    }

    private static SimOptions options(int size) {
      Tuning slow = Tuning.DEFAULT;
      return new SimOptions(
          size,
          1,
          6,
          OPERATIONS,
          2_000_000_000L,
          new Tuning(
              120,
              40,
              16 << 10,
              4,
              3,
              1200,
              5_000_000,
              1,
              1,
              10_000_000,
              slow.weather(),
              20,
              true,
              0,
              false,
              0,
              false,
              256,
              64,
              0,
              false,
              Snapshotting.NONE));
    }

    void run() {
      Violation violation = world.run();
      assertThat(violation).as(replay).isNull();
    }

    private void happened(SimEvent event) {
      checkers.forEach(checker -> checker.on(event));
      if (event instanceof SimEvent.Stopped stopped && stopped.node().equals(doomed) && !struck) {
        assertThat(stopped.why()).startsWith("power lost");
        struck = true;
        var unused = world.time().after(0, this::losePowerEverywhere);
      }
    }

    private void losePowerEverywhere() {
      world.machines().forEach(machine -> machine.losePower("power lost everywhere"));
      world.recoverNow();
    }
  }

  @Test
  void theTestWouldSeeAPutThatWasAcknowledgedTooEarly() {
    AcknowledgedSurvives survives = new AcknowledgedSurvives();
    Bytes key = Bytes.utf8("key");
    survives.on(new SimEvent.Called(1, 0, 1, new ClientOperation.Put(key, Bytes.utf8("value"))));
    survives.on(new SimEvent.Returned(2, 0, 1, new ClientOutcome.Done(5, 0, List.of())));
    survives.on(new SimEvent.Called(3, 0, 2, new ClientOperation.Get(key)));
    assertThatThrownBy(
            () ->
                survives.on(
                    new SimEvent.Returned(4, 0, 2, new ClientOutcome.Done(4, 0, List.of()))))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("key");
  }
}
