package io.kvorum.server.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.kvorum.api.Header;
import io.kvorum.api.KeyValue;
import io.kvorum.disk.simulated.SimulatedCrash;
import io.kvorum.node.RaftNode;
import io.kvorum.server.simulated.SimulatedCluster.Outcome;
import io.kvorum.server.simulated.SimulatedCluster.Put;
import io.kvorum.server.store.ApplyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * An acknowledged put is on the disks of a majority: all nodes lose power at once, at every step
 * that any of them takes towards its disk, and nothing acknowledged may be missing afterwards
 * (FAULTS F001, F022, F029, F043, F053).
 */
class PowerLossTest {
  private static final int PUTS = 80;
  private static final long BOUND_NANOS = 60 * SimulatedCluster.SECOND_NANOS;

  /** A lost disk stops its node, which says so at length; here that is the point. */
  @BeforeAll
  static void quiet() {
    ((Logger) LoggerFactory.getLogger(RaftNode.class)).setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    ((Logger) LoggerFactory.getLogger(RaftNode.class)).setLevel(null);
  }

  /** What the run up to the loss of power has left behind. */
  private record Run(SimulatedCluster cluster, List<Put> puts, boolean completed) {}

  @ParameterizedTest(name = "{0} nodes, power lost {2} a call of machine {1}")
  @CsvSource({
    "1, 0, before",
    "1, 0, after",
    "3, 0, before",
    "3, 0, after",
    "3, 1, before",
    "3, 1, after",
    "3, 2, before",
    "3, 2, after"
  })
  void noAcknowledgedPutIsLostWhereverThePowerFails(int size, int machine, String when) {
    int call = 0;
    boolean completed = false;
    while (!completed) {
      call++;
      Run run = runUntilCall(size, machine, call, when.equals("after"));
      completed = run.completed();
      String replay = size + " nodes, power lost " + when + " call " + call + " of " + machine;
      checkAfterRestart(run, replay);
    }
    assertThat(call).as("steps tried").isGreaterThan(20);
  }

  private static Run runUntilCall(int size, int machine, int call, boolean after) {
    SimulatedCluster cluster = new SimulatedCluster(size, 1000L * machine + call);
    if (after) {
      cluster.machines.get(machine).disk().crashAfter(call);
    } else {
      cluster.machines.get(machine).disk().crashBefore(call);
    }
    List<Put> puts = new ArrayList<>();
    boolean completed = false;
    try {
      cluster.startAll();
      completed = load(cluster, cluster.machines.get(machine), puts);
    } catch (SimulatedCrash powerLost) {
      // While a node was starting: the others go down with it.
      completed = false;
    }
    cluster.crashAll();
    return new Run(cluster, puts, completed);
  }

  /** Says whether all was put before the machine went down. */
  private static boolean load(SimulatedCluster cluster, SimulatedMachine doomed, List<Put> puts) {
    while (puts.size() < PUTS) {
      int next = puts.size();
      boolean found =
          cluster.time.runUntil(() -> isDown(doomed) || cluster.leader().isPresent(), BOUND_NANOS);
      if (isDown(doomed)) {
        return false;
      }
      assertThat(found).as("a leader").isTrue();
      SimulatedMachine leader = cluster.leader().orElseThrow();
      // Two at a time: one key that each put overwrites, one of its own.
      puts.add(cluster.put(leader, "same", "value-" + next));
      puts.add(cluster.put(leader, "key-" + next, "x".repeat(200 * (next % 7))));
      Put last = puts.get(puts.size() - 1);
      cluster.time.runUntil(() -> isDown(doomed) || last.outcome != Outcome.PENDING, BOUND_NANOS);
      if (isDown(doomed)) {
        return false;
      }
    }
    return true;
  }

  /** The disk has lost its power, or the node has noticed and stopped. */
  private static boolean isDown(SimulatedMachine machine) {
    return !machine.failures().isEmpty();
  }

  private static void checkAfterRestart(Run run, String replay) {
    SimulatedCluster cluster = run.cluster();
    cluster.restartAll();
    assertThat(cluster.time.runUntil(() -> cluster.leader().isPresent(), BOUND_NANOS))
        .as("a leader after: %s", replay)
        .isTrue();
    Map<String, Put> newest = new TreeMap<>();
    for (Put put : run.puts()) {
      if (put.outcome == Outcome.ACKNOWLEDGED) {
        newest.put(put.key.toUtf8(), put);
      }
    }
    for (Put acknowledged : newest.values()) {
      KeyValue found = read(cluster, acknowledged, replay);
      assertThat(found).as("%s, acknowledged before: %s", acknowledged.key, replay).isNotNull();
      assertThat(found.modRevision())
          .as("revision of %s after: %s", acknowledged.key, replay)
          .isGreaterThanOrEqualTo(acknowledged.revision);
      if (found.modRevision() == acknowledged.revision) {
        assertThat(found.value()).isEqualTo(acknowledged.value);
      }
    }
    Put again = cluster.put(cluster.leader().orElseThrow(), "after", "the restart");
    cluster.time.runUntil(() -> again.outcome != Outcome.PENDING, BOUND_NANOS);
    assertThat(again.outcome).as("a put after: %s", replay).isEqualTo(Outcome.ACKNOWLEDGED);
    for (SimulatedMachine machine : cluster.machines) {
      assertThat(machine.leads() ? machine.node().pendingProposals() : 0).isZero();
    }
  }

  private static KeyValue read(SimulatedCluster cluster, Put put, String replay) {
    SimulatedCluster.Get get = cluster.get(cluster.leader().orElseThrow(), put.key);
    cluster.time.runUntil(() -> get.result != null, BOUND_NANOS);
    assertThat(get.result).as("a read after: %s", replay).isPresent();
    return get.result.orElseThrow().keyValue().orElse(null);
  }

  @Test
  void theTestWouldSeeAPutThatWasAcknowledgedTooEarly() {
    SimulatedCluster cluster = new SimulatedCluster(3, 7);
    cluster.startAll();
    cluster.time.runUntil(() -> cluster.leader().isPresent(), BOUND_NANOS);
    Put put = cluster.put(cluster.leader().orElseThrow(), "key", "value");
    // Nothing was synced yet; a node that answered now would break its promise.
    assertThat(put.outcome).isEqualTo(Outcome.PENDING);
    put.applied(new ApplyResult.NothingApplied(new Header(2, 1, 1, 1)));
    cluster.crashAll();
    Run run = new Run(cluster, List.of(put), false);
    assertThatThrownBy(() -> checkAfterRestart(run, "a lie"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("key");
  }
}
