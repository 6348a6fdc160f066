package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws losses of the end of a log, over what was synced in the last while: in half of the runs
 * none, and none where something else is lost for good. In half of the others it comes in the way
 * that hurts: one member is away for a while, and when it is back, of those that went on without it
 * one has lost its end and the other one is gone. Its chance is of its own, so that a seed has the
 * same plan but for this.
 */
final class TailTrouble {
  private static final long STREAM = 0x7461696CL;
  private static final long MILLI_NANOS = 1_000_000;
  private static final int ONE_IN = 2;

  private final SplittableRandom random;
  private final List<TimedFault> faults;
  private final SimOptions options;

  private TailTrouble(SplittableRandom random, List<TimedFault> faults, SimOptions options) {
    this.random = random;
    this.faults = faults;
    this.options = options;
  }

  /** Faults are added to those of the plan. */
  static void draw(long seed, List<TimedFault> faults, SimOptions options) {
    SplittableRandom random = new SplittableRandom(seed * 31 + STREAM);
    boolean isHurt = faults.stream().anyMatch(timed -> hurts(timed.fault()));
    if (random.nextInt(ONE_IN) != 0 || faults.isEmpty() || isHurt) {
      return;
    }
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      TailTrouble trouble = new TailTrouble(random, faults, options);
      if (random.nextBoolean()) {
        trouble.lose();
      } else {
        trouble.loseWhileOneIsAway();
      }
    }
  }

  /** A voter that lacks something and one with a wrong state: of three, nobody may be elected. */
  private static boolean hurts(Fault fault) {
    return SnapshotTrouble.damages(fault) || fault instanceof Fault.FlipState;
  }

  private void lose() {
    NodeId who = random.nextInt(3) == 0 ? Whom.LEADER.id() : node(random.nextInt(options.nodes()));
    long at = random.nextLong(options.safetyNanos());
    if (random.nextBoolean()) {
      add(at, new Fault.Isolate(who));
      at += aWhile();
      add(at, new Fault.Heal());
    }
    add(at, new Fault.ZeroTail(who, position()));
    // Of whoever it was.
    long back = at + random.nextLong(500 * MILLI_NANOS);
    for (int i = 0; i < options.nodes(); i++) {
      add(back, new Fault.Restart(node(i)));
    }
  }

  private void loseWhileOneIsAway() {
    int first = random.nextInt(options.nodes());
    NodeId away = node(first);
    NodeId loses = node(first + 1);
    NodeId goes = node(first + 2);
    long at = random.nextLong(options.safetyNanos());
    add(at, new Fault.Kill(away));
    long alone = at + (200 + random.nextInt(3_000)) * MILLI_NANOS;
    add(alone, new Fault.Kill(goes));
    long lost = alone + aWhile();
    add(lost, new Fault.ZeroTail(loses, position()));
    long back = lost + random.nextLong(100 * MILLI_NANOS);
    add(back, new Fault.Restart(away));
    add(back, new Fault.Restart(loses));
    add(back + (500 + random.nextInt(2_000)) * MILLI_NANOS, new Fault.Restart(goes));
  }

  /** Whoever gets nothing new for so long has noted how far its log is durable, or almost. */
  private long aWhile() {
    return (800 + random.nextInt(1_200)) * MILLI_NANOS;
  }

  /** Mostly little, which the state has not durably applied yet: else that would tell. */
  private double position() {
    double least = random.nextInt(3) == 0 ? 0 : 0.7;
    return 1 - (1 - least) * random.nextDouble() * random.nextDouble() - 1e-9;
  }

  private NodeId node(int number) {
    return new NodeId("n" + (1 + number % options.nodes()));
  }

  private void add(long at, Fault fault) {
    if (at < options.safetyNanos()) {
      faults.add(new TimedFault(at, fault));
    }
  }
}
