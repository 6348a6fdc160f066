package io.kvorum.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.QuietNodes;
import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.plan.SimOptions;
import io.kvorum.simulator.plan.SimPlan;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Of {@link Recovery}: a cluster that does not get on is found out. */
@ExtendWith(QuietNodes.class)
class RecoveryTest {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final SimPlan CALM =
      new SimPlan(7, new SimOptions(3, 1, 3, 20, 3 * SECOND_NANOS), List.of());

  @Test
  void aHealedClusterThatStandsStillIsAViolation() {
    World world = new World(CALM, node -> TablesMedium.memory(3), event -> {});
    // A cut that the recovery does not know of, as a defect would be.
    var unused =
        world
            .time()
            .after(
                3 * SECOND_NANOS + 1,
                () -> {
                  world.peers().isolate(new NodeId("n1"));
                  world.peers().isolate(new NodeId("n2"));
                });
    Violation violation = world.run();
    assertThat(violation).isNotNull();
    assertThat(violation.checker()).isEqualTo("Liveness");
    assertThat(violation).hasMessageContaining("probe n1").hasMessageContaining("n3 is ");
  }

  @Test
  void aNodeThatFailsWithoutAFaultIsAViolation() {
    World world =
        new World(
            CALM,
            node -> node.name().equals("n2") ? new Broken() : TablesMedium.memory(3),
            event -> {});
    Violation violation = world.run();
    assertThat(violation).isNotNull();
    assertThat(violation.checker()).isEqualTo("NodesFailOfFaultsOnly");
    assertThat(violation).hasMessageContaining("n2").hasMessageContaining("tables are broken");
  }

  /** Cannot be opened. */
  private static final class Broken implements TablesMedium {
    @Override
    public io.kvorum.server.store.Tables open() {
      throw new IllegalStateException("tables are broken");
    }

    @Override
    public void replace(io.kvorum.disk.Disk files) {
      throw new IllegalStateException("tables are broken");
    }

    @Override
    public io.kvorum.server.store.TableSnapshot peek(io.kvorum.disk.Disk files) {
      throw new IllegalStateException("tables are broken");
    }

    @Override
    public void crash() {
      // Nothing is open.
    }

    @Override
    public void lose() {
      // Nothing is there.
    }
  }
}
