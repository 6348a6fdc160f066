package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws what a run has to do with quotas, and with disks that are almost full: in most nothing. In
 * the others an operator sets quotas; nodes watch their space, and other programs take it, to a
 * point around the marks, and give it back: of one node, of the leader, or of all. Its chance is of
 * its own, so that a seed has the same plan but for this.
 */
final class SpaceTrouble {
  private static final long STREAM = 0x7370616365L;
  private static final long MILLI_NANOS = 1_000_000;
  private static final int ONE_IN = 6;
  private static final int QUOTAS_ONE_IN = 4;

  private final SplittableRandom random;
  private final List<TimedFault> faults;
  private final SimOptions options;
  private final long lowBytes;

  private SpaceTrouble(
      SplittableRandom random, List<TimedFault> faults, SimOptions options, long lowBytes) {
    this.random = random;
    this.faults = faults;
    this.options = options;
    this.lowBytes = lowBytes;
  }

  /** The settings of the run; faults are added to those of the plan. */
  static Tuning draw(long seed, List<TimedFault> faults, SimOptions options) {
    SplittableRandom random = new SplittableRandom(seed * 31 + STREAM);
    Tuning tuning = options.tuning().withQuotas(random.nextInt(QUOTAS_ONE_IN) == 0);
    if (random.nextInt(ONE_IN) != 0 || faults.isEmpty()) {
      return tuning;
    }
    Tuning watching = tuning.withReserveBytes((tuning.segmentBytes() / 4) << random.nextInt(3));
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      new SpaceTrouble(random, faults, options, watching.space().lowBytes()).fill();
    }
    return watching;
  }

  private void fill() {
    long at = random.nextLong(options.safetyNanos());
    switch (random.nextInt(3)) {
      case 0 -> add(at, new Fault.FillDisk(Whom.LEADER.id(), left()));
      case 1 -> add(at, new Fault.FillDisk(node(1 + random.nextInt(options.nodes())), left()));
      default -> {
        for (int i = 1; i <= options.nodes(); i++) {
          add(at + random.nextLong(500 * MILLI_NANOS), new Fault.FillDisk(node(i), left()));
        }
      }
    }
    // Of whoever it was.
    long freed = at + (200L << random.nextInt(5)) * MILLI_NANOS;
    for (int i = 1; i <= options.nodes(); i++) {
      add(freed, new Fault.FreeDisk(node(i)));
      add(freed + random.nextLong(500 * MILLI_NANOS), new Fault.Restart(node(i)));
    }
  }

  /** Nothing, a little, or something around the low mark. */
  private int left() {
    long bound = random.nextInt(3) == 0 ? lowBytes / 8 : 2 * lowBytes;
    return random.nextInt(4) == 0 ? 0 : (int) random.nextLong(bound);
  }

  private static NodeId node(int number) {
    return new NodeId("n" + number);
  }

  private void add(long at, Fault fault) {
    if (at < options.safetyNanos()) {
      faults.add(new TimedFault(at, fault));
    }
  }
}
