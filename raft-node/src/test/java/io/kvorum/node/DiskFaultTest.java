package io.kvorum.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.disk.simulated.SimulatedDisk;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The n-th call that one member of three makes of its disk fails, for n = 1, 2, 3 … until a run
 * completes (FAULTS F042, F046, F160, F167; a loss of power is an {@link Error}, on whatever lane
 * meets it). The third member is cut off, so the one with the fault counts for every write;
 * afterwards it is all that is left of those who were there.
 */
final class DiskFaultTest {
  private static final int WRITES = 22;

  /** Not every call in every build: {@code -Dkvorum.stride=1} tries them all. */
  private static final int STRIDE = Integer.getInteger("kvorum.stride", 11);

  /** What the n-th call meets. */
  private enum Fault {
    /** Once; what is left of a write is a part, of a sync some pages. */
    ERROR {
      @Override
      void plan(SimulatedDisk disk, long call) {
        disk.failAt(call);
      }
    },
    ERRORS_FROM_THEN_ON {
      @Override
      void plan(SimulatedDisk disk, long call) {
        disk.failFrom(call);
      }
    },
    POWER_BEFORE {
      @Override
      void plan(SimulatedDisk disk, long call) {
        disk.crashBefore(call);
      }
    },
    POWER_AFTER {
      @Override
      void plan(SimulatedDisk disk, long call) {
        disk.crashAfter(call);
      }
    };

    abstract void plan(SimulatedDisk disk, long call);
  }

  private final TestNodes nodes = new TestNodes(7, 3);
  private final Map<TestNode, SimulatedDisk.Image> images = new TreeMap<>(this::byName);
  private TestNode former;
  private TestNode ahead;
  private TestNode absent;
  private int restarts;

  private int byName(TestNode one, TestNode other) {
    return one.id.compareTo(other.id);
  }

  /** A leader of before has entries that the others know nothing of; then power goes. */
  private void prepare() {
    nodes.ballastBytes = 3_000;
    nodes.snapshotConfig = SnapshotConfig.DEFAULT.withLogBytes(16 << 10).withLogBounds(0, 20 << 10);
    nodes.startAll();
    nodes.write(5);
    nodes.untilEqual();
    former = nodes.leader();
    nodes.cut(former);
    for (int i = 0; i < 20; i++) {
      former.process().loop.execute(() -> former.node().propose(new byte[900], new Ended()));
    }
    nodes.write(3);
    nodes.pass(1);
    assertThat(former.node().last().index()).isGreaterThan(20);
    ahead = nodes.leader();
    absent = nodes.all.values().stream().filter(n -> n != former && n != ahead).findFirst().get();
    nodes.all.values().forEach(TestNode::crash);
    nodes.all.values().forEach(node -> images.put(node, node.disk.image()));
  }

  /** Its log is truncated, appended to, rolled, cut; its snapshots are written and published. */
  @ParameterizedTest
  @EnumSource
  void aFollowerLosesNothing(Fault fault) {
    prepare();
    everyCall(former, ahead, fault, STRIDE);
  }

  @ParameterizedTest
  @EnumSource
  void aLeaderLosesNothing(Fault fault) {
    prepare();
    everyCall(ahead, former, fault, 2 * STRIDE);
  }

  private void everyCall(TestNode faulty, TestNode other, Fault fault, int stride) {
    boolean completed = false;
    int runs = 0;
    long first = 1L + List.of(Fault.values()).indexOf(fault);
    for (long call = first; !completed; call += stride) {
      try {
        completed = run(faulty, other, fault, call);
        runs++;
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(fault + " at call " + call + " of " + faulty.id, e);
      }
    }
    assertThat(runs * stride).as("calls").isGreaterThan(100);
    assertThat(restarts).as("lives that the fault has ended").isGreaterThanOrEqualTo(runs / 2);
  }

  /** Whether it was over before the call came. */
  private boolean run(TestNode faulty, TestNode other, Fault fault, long call) {
    images.forEach(
        (node, image) -> {
          node.crash();
          node.disk.restart();
          node.disk.restore(image);
          node.failures.clear();
        });
    nodes.mend();
    nodes.cut(absent);
    other.start();
    absent.start();
    final long before = faulty.disk.calls();
    fault.plan(faulty.disk, call);
    long acknowledged = 0;
    for (int i = 0; i < WRITES; i++) {
      acknowledged = write(faulty, i);
    }
    nodes.until("its log is cut", () -> !faulty.isAlive() || faulty.compacted() > 0);
    final boolean completed = faulty.disk.calls() - before < call;
    faulty.disk.calm();

    // What it has acknowledged is there although nobody else of them is.
    if (!faulty.isAlive()) {
      faulty.start();
    }
    other.crash();
    nodes.mend();
    assertThat(nodes.leader()).isSameAs(faulty);
    long last = acknowledged;
    nodes.until("it has all", () -> faulty.state().applied().index() >= last);
    other.start();
    nodes.write(1);
    nodes.untilEqual();
    return completed;
  }

  /** Until it is acknowledged, through as many lives as it takes; its index. */
  private long write(TestNode faulty, int number) {
    while (true) {
      Ended ended = new Ended();
      nodes.until("a leader, or a failure", () -> !lives(faulty) || nodes.findLeader() != null);
      TestNode leader = nodes.findLeader();
      if (leader != null) {
        byte[] payload = ("write " + number + " ".repeat(1_000)).getBytes(US_ASCII);
        leader.process().loop.execute(() -> leader.node().propose(payload, ended));
        nodes.until("an answer", () -> ended.is || !faulty.isAlive() || !leader.isAlive());
        if (ended.isApplied) {
          return leader.state().applied().index();
        }
      }
    }
  }

  /** Starts it if it does not run; false if it does not run now either. */
  private boolean lives(TestNode faulty) {
    if (faulty.isAlive()) {
      return true;
    }
    if (faulty.disk.isDown() || !faulty.failures.isEmpty()) {
      restarts++;
      faulty.failures.clear();
      faulty.crash();
      return faulty.start();
    }
    try {
      return faulty.startOnRunningDisk();
    } catch (UncheckedIOException failed) {
      faulty.failures.add(failed);
      return false;
    }
  }

  /** What became of a proposal. */
  private static final class Ended implements ProposalListener<Long> {
    private boolean is;
    private boolean isApplied;

    @Override
    public void applied(Long result) {
      is = true;
      isApplied = true;
    }

    @Override
    public void refused(Refusal why) {
      is = true;
    }

    @Override
    public void unknown(String why) {
      is = true;
    }
  }
}
