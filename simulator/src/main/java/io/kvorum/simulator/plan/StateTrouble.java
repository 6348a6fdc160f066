package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws what a run with snapshots has to do with states that are not what they should be: in most
 * nothing, in a third the members compare theirs, and in half of these one of them changes by
 * itself. Only where a majority stays that knows better. In some of the others one member is of a
 * version that knows nothing of that, so nobody may compare. Its chance is of its own.
 */
final class StateTrouble {
  private static final long STREAM = 0x7374617465L;

  private StateTrouble() {}

  /** The settings of the run; faults are added to those of the plan. */
  static Snapshotting draw(
      long seed, List<TimedFault> faults, SimOptions options, Snapshotting settings) {
    SplittableRandom random = new SplittableRandom(seed * 31 + STREAM);
    if (random.nextInt(3) != 0) {
      return settings;
    }
    boolean flips = false;
    int voters = options.nodes() - options.tuning().joiners();
    if (!faults.isEmpty()
        && options.tuning().joiners() == 0
        && voters >= 3
        && random.nextBoolean()) {
      flips = true;
      int times = 1 + random.nextInt(3);
      for (int i = 0; i < times; i++) {
        NodeId who = random.nextBoolean() ? Whom.LEADER.id() : node(random, options);
        faults.add(
            new TimedFault(
                random.nextLong(options.safetyNanos()),
                new Fault.FlipState(who, random.nextDouble())));
      }
    }
    Snapshotting compared = settings.withCheckEntries(4 << random.nextInt(4));
    // Whoever joins without knowing it, after it was used, stays outside.
    boolean lacks = !flips && options.tuning().joiners() == 0 && random.nextBoolean();
    return lacks ? compared.withLackingNode(1 + random.nextInt(options.nodes())) : compared;
  }

  private static NodeId node(SplittableRandom random, SimOptions options) {
    return new NodeId("n" + (1 + random.nextInt(options.nodes())));
  }
}
