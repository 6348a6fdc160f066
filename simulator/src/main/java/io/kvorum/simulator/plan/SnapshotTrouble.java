package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws what a run has to do with snapshots: half of the runs know none. Of the others, most take
 * them so often and cut the log so short that whoever is down for a moment needs one. Its chance is
 * of its own, so that a seed has the same plan but for this.
 */
final class SnapshotTrouble {
  private static final long STREAM = 0x736E617073686F74L;
  private static final long MILLI_NANOS = 1_000_000;
  private static final int SEGMENT_BYTES_MIN = 16 << 10;

  private final SplittableRandom random;
  private final List<TimedFault> faults;
  private final SimOptions options;

  private SnapshotTrouble(SplittableRandom random, List<TimedFault> faults, SimOptions options) {
    this.random = random;
    this.faults = faults;
    this.options = options;
  }

  /** The settings of the run; faults that belong to them are added to those of the plan. */
  static Tuning draw(long seed, List<TimedFault> faults, SimOptions options) {
    SplittableRandom random = new SplittableRandom(seed * 31 + STREAM);
    Tuning tuning = options.tuning();
    if (random.nextBoolean()) {
      return tuning;
    }
    if (random.nextInt(3) != 0) {
      // The log is cut by whole segments: so that there are many.
      tuning = tuning.withLog(SEGMENT_BYTES_MIN, Math.max(tuning.valueBytesMax(), 1024));
    }
    int kept = random.nextBoolean() ? 0 : random.nextInt(2 * tuning.segmentBytes());
    Snapshotting settings =
        new Snapshotting(
            1024 << random.nextInt(6),
            kept,
            random.nextBoolean() ? kept : kept + (1 << random.nextInt(20)),
            64 << random.nextInt(11),
            1 + random.nextInt(2),
            0,
            0);
    boolean calm = faults.isEmpty();
    boolean damaged = faults.stream().anyMatch(timed -> damages(timed.fault()));
    if (!calm) {
      SnapshotTrouble trouble = new SnapshotTrouble(random, faults, options);
      if (random.nextInt(4) != 0) {
        trouble.miss();
      }
      if (random.nextInt(3) != 0) {
        trouble.interrupt();
      }
      if (random.nextInt(3) == 0) {
        trouble.stall();
      }
      // What is lost beside a state that is lost, too, cannot be brought back.
      if (random.nextInt(3) == 0 && !damaged) {
        trouble.damage();
      } else if (random.nextInt(3) == 0) {
        trouble.damageLog();
      }
    }
    if (!damaged) {
      settings = StateTrouble.draw(seed, faults, options, settings);
    }
    return tuning.withSnapshots(settings);
  }

  static boolean damages(Fault fault) {
    return fault instanceof Fault.LoseFile
        || fault instanceof Fault.ZeroTail
        || fault instanceof Fault.FlipBit
        || fault instanceof Fault.ZeroPage
        || fault instanceof Fault.Wipe
        || fault instanceof Fault.RestoreCopy;
  }

  /** Somebody is away while the others go on: the log will begin behind what it has. */
  private void miss() {
    int times = 1 + random.nextInt(5);
    for (int i = 0; i < times; i++) {
      long at = random.nextLong(options.safetyNanos());
      NodeId who = node();
      Fault away = random.nextBoolean() ? new Fault.Kill(who) : new Fault.Isolate(who);
      long lasts = (500L << random.nextInt(4)) * MILLI_NANOS;
      add(at, away);
      add(at + lasts, away instanceof Fault.Kill ? new Fault.Restart(who) : new Fault.Heal());
    }
  }

  /**
   * Power goes, or the process ends, some disk calls after a snapshot was published or installed.
   */
  private void interrupt() {
    int times = 1 + random.nextInt(6);
    for (int i = 0; i < times; i++) {
      long at = random.nextLong(options.safetyNanos());
      NodeId who = node();
      Fault end =
          switch (random.nextInt(4)) {
            case 0 -> new Fault.Kill(who);
            case 1 -> new Fault.LosePower(who);
            default -> new Fault.LosePowerAtCall(who, 1 + random.nextInt(12), random.nextBoolean());
          };
      Cue cue = random.nextInt(3) == 0 ? Cue.INSTALLED : Cue.SNAPSHOT_MOVED;
      Fault.Moment moment =
          new Fault.Moment(
              cue,
              1 + random.nextInt(cue == Cue.INSTALLED ? 2 : 20),
              random.nextBoolean() ? 0 : random.nextLong(20 * MILLI_NANOS));
      faults.add(new TimedFault(at, new Fault.Await(moment, end)));
      add(at + (100 + random.nextInt(3_000)) * MILLI_NANOS, new Fault.Restart(who));
    }
  }

  /** Somebody's snapshots take their time. */
  private void stall() {
    int times = 1 + random.nextInt(4);
    for (int i = 0; i < times; i++) {
      long nanos = (1L << random.nextInt(12)) * MILLI_NANOS;
      LaneName lane = random.nextInt(3) == 0 ? LaneName.APPLY : LaneName.SNAPSHOT;
      add(random.nextLong(options.safetyNanos()), new Fault.PauseLane(node(), lane, nanos));
    }
  }

  /** Snapshots are copies: any of them may be lost, wherever it is. */
  private void damage() {
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      long at = random.nextLong(options.safetyNanos());
      NodeId who = node();
      NodeFile file = random.nextBoolean() ? NodeFile.SNAPSHOT_FILE : NodeFile.SNAPSHOT_MANIFEST;
      switch (random.nextInt(3)) {
        case 0 -> add(at, new Fault.LoseFile(who, file));
        case 1 -> add(at, new Fault.ZeroPage(who, file, random.nextDouble()));
        default -> add(at, new Fault.FlipBit(who, file, random.nextDouble()));
      }
      add(at + random.nextLong(1_000 * MILLI_NANOS), new Fault.Restart(who));
    }
  }

  /** A node with snapshots gets back from the others what its log has lost. */
  private void damageLog() {
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      long at = random.nextLong(options.safetyNanos());
      NodeId who = node();
      switch (random.nextInt(4)) {
        case 0 -> add(at, new Fault.LoseFile(who, NodeFile.FIRST_SEGMENT));
        case 1 -> add(at, new Fault.LoseFile(who, NodeFile.LAST_SEGMENT));
        case 2 -> add(at, new Fault.FlipBit(who, NodeFile.FIRST_SEGMENT, random.nextDouble()));
        default -> add(at, new Fault.FlipBit(who, NodeFile.LAST_SEGMENT, random.nextDouble()));
      }
      add(at + random.nextLong(1_000 * MILLI_NANOS), new Fault.Restart(who));
    }
  }

  private NodeId node() {
    return new NodeId("n" + (1 + random.nextInt(options.nodes())));
  }

  private void add(long at, Fault fault) {
    if (at < options.safetyNanos()) {
      faults.add(new TimedFault(at, fault));
    }
  }
}
