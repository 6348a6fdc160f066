package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Draws plans. Each seed has kinds of trouble of its own, at rates of their own, and leaves the
 * others out: what only shows without, or in excess of, some fault shows in some seed.
 *
 * <p>Half of the seeds dance besides ({@link Dances}): small groups with short timeouts, whose
 * faults mean whoever leads or follows at the moment.
 */
public final class Plans {
  private static final long MILLI_NANOS = 1_000_000;
  private static final long SECOND_NANOS = 1_000_000_000;

  /** Of so many plans one has no fault at all. */
  private static final int CALM_ONE_IN = 12;

  /** Of so many kinds of trouble a plan has one. */
  private static final int KIND_ONE_IN = 3;

  /** The same, of a plan that dances. */
  private static final int KIND_ONE_IN_DANCING = 12;

  /** Two clocks that differ by this much, one each way, are within what leases allow. */
  private static final int DRIFT_PPM_MAX = 24_000;

  private final SplittableRandom random;
  private final SimOptions options;
  private final List<TimedFault> faults = new ArrayList<>();

  private Plans(SplittableRandom random, SimOptions options) {
    this.random = random;
    this.options = options;
  }

  /** The plan of that seed. */
  public static SimPlan draw(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean dances = random.nextBoolean();
    Plans plans = new Plans(random, dances ? danceOptions(random) : options(random));
    if (random.nextInt(CALM_ONE_IN) != 0) {
      if (dances) {
        new Dances(random, plans.options, plans::add).dance();
      }
      for (Trouble trouble : Trouble.values()) {
        if (random.nextInt(dances ? KIND_ONE_IN_DANCING : KIND_ONE_IN) == 0) {
          plans.add(trouble);
        }
      }
      // A member that lost its memory and one that is gone for good: together that is a majority.
      if (random.nextBoolean() && plans.options.tuning().joiners() == 0) {
        plans.addDamage();
      }
    }
    SimOptions drawn = plans.options;
    Tuning tuning = SnapshotTrouble.draw(seed, plans.faults, drawn);
    tuning = SpaceTrouble.draw(seed, plans.faults, drawn.withTuning(tuning));
    TailTrouble.draw(seed, plans.faults, drawn);
    plans.faults.sort(Comparator.comparingLong(TimedFault::atNanos));
    return new SimPlan(seed, drawn.withTuning(tuning), plans.faults);
  }

  /**
   * Faults of these kinds for as long as the options say, each kind from twice a second to once in
   * four seconds. What would end after that time has no end here.
   */
  public static List<TimedFault> storm(
      SplittableRandom random, SimOptions options, Set<Trouble> kinds) {
    Plans plans = new Plans(random, options);
    for (Trouble kind : kinds) {
      plans.repeat(kind, (500L << random.nextInt(4)) * MILLI_NANOS);
    }
    plans.faults.sort(Comparator.comparingLong(TimedFault::atNanos));
    return plans.faults;
  }

  private static SimOptions options(SplittableRandom random) {
    int[] sizes = {1, 2, 3, 3, 3, 3, 3, 4, 4, 5, 5, 6, 7};
    int nodes = sizes[random.nextInt(sizes.length)];
    boolean slow = random.nextInt(3) == 0;
    boolean changes = nodes > 1 && random.nextInt(3) == 0;
    int heartbeatMillis = 20 + 20 * random.nextInt(5);
    Tuning tuning =
        new Tuning(
            heartbeatMillis * (3 + random.nextInt(5)),
            heartbeatMillis,
            (4 + random.nextInt(1 + random.nextInt(13))) * 4096,
            1 << random.nextInt(8),
            random.nextInt(10),
            1 << (4 + random.nextInt(8)),
            (1 + random.nextInt(400)) * MILLI_NANOS,
            1 + random.nextInt(3),
            slow ? 1 + random.nextInt(nodes) : 0,
            (1 + random.nextInt(30)) * MILLI_NANOS,
            weather(random, random.nextInt(3) == 0),
            10 + random.nextInt(90),
            changes || random.nextInt(3) != 0,
            changes ? random.nextInt(1, nodes) : 0,
            random.nextBoolean(),
            random.nextInt(4) == 0 ? 100 + random.nextInt(2000) : 0,
            random.nextInt(4) == 0,
            random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 256,
            random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 64,
            0,
            false,
            Snapshotting.NONE);
    return new SimOptions(
        nodes,
        1 + random.nextInt(4),
        1 + random.nextInt(8),
        200 + random.nextInt(400),
        (5 + random.nextInt(25)) * SECOND_NANOS,
        tuning);
  }

  /** Elections take a moment, so that many fit into a run; clients call all the time. */
  private static SimOptions danceOptions(SplittableRandom random) {
    int[] sizes = {2, 3, 3, 3, 3, 3, 4, 5};
    boolean changes = random.nextInt(4) == 0;
    // Three voters at least, so that those without the leader can go on.
    int nodes = changes ? 4 + random.nextInt(3) / 2 : sizes[random.nextInt(sizes.length)];
    int heartbeatMillis = 20 + 10 * random.nextInt(3);
    // Then a follower is often known to have a part of what the leader has.
    boolean sendsLittle = random.nextBoolean();
    // Then somebody reads within any few milliseconds for which an answer could be too old.
    boolean busy = random.nextInt(3) == 0;
    Tuning tuning =
        new Tuning(
            heartbeatMillis * (3 + random.nextInt(3)),
            heartbeatMillis,
            (4 + random.nextInt(1 + random.nextInt(13))) * 4096,
            1 << random.nextInt(8),
            random.nextInt(10),
            1 << (4 + random.nextInt(8)),
            (busy ? 1 + random.nextInt(6) : 20 + random.nextInt(280)) * MILLI_NANOS,
            1 + random.nextInt(3),
            random.nextInt(3) == 0 ? 1 + random.nextInt(nodes) : 0,
            (1 + random.nextInt(30)) * MILLI_NANOS,
            random.nextInt(4) == 0 ? lateWeather(random) : weather(random, random.nextInt(3) == 0),
            10 + random.nextInt(90),
            changes || random.nextBoolean(),
            changes ? 1 : 0,
            random.nextBoolean(),
            0,
            random.nextInt(8) == 0,
            sendsLittle ? 1 + random.nextInt(3) : 256,
            sendsLittle ? 1 + random.nextInt(2) : 64,
            0,
            false,
            Snapshotting.NONE);
    return new SimOptions(
        nodes,
        2 + random.nextInt(3),
        busy ? 1 + random.nextInt(2) : 1 + random.nextInt(8),
        busy ? 1_000 + random.nextInt(1_000) : 300 + random.nextInt(400),
        (4 + random.nextInt(8)) * SECOND_NANOS,
        tuning);
  }

  /** What is said arrives, but often when it does not matter any more, or should not. */
  private static Fault.Weather lateWeather(SplittableRandom random) {
    return new Fault.Weather((1 + random.nextInt(3)) * MILLI_NANOS, 0, 0, 20 << random.nextInt(5));
  }

  private static Fault.Weather weather(SplittableRandom random, boolean bad) {
    return new Fault.Weather(
        (1 + random.nextInt(bad ? 30 : 3)) * MILLI_NANOS,
        bad ? random.nextInt(200) : 0,
        bad ? random.nextInt(100) : 0,
        bad ? random.nextInt(40) : 0);
  }

  /** Kinds of trouble that may come again and again. */
  public enum Trouble {
    POWER,
    POWER_OF_ALL,
    POWER_AT_CALL,
    KILL,
    PAUSE,
    PAUSE_LANE,
    CLOCK,
    WALL_CLOCK,
    DISK_ERROR,
    DISK_FULL,
    SLOW_DISK,
    CUT,
    ISOLATE,
    BREAK,
    TRANSFER,
    MEMBERS,
    WEATHER,
    CLIENT_CUT,
    CLIENT_BREAK
  }

  private void add(Trouble trouble) {
    // From twice a second to hardly ever.
    repeat(trouble, (500L << random.nextInt(6)) * MILLI_NANOS);
  }

  private void repeat(Trouble trouble, long intervalNanos) {
    long at = random.nextLong(intervalNanos);
    while (at < options.safetyNanos()) {
      add(trouble, at);
      at += random.nextLong(2 * intervalNanos) + MILLI_NANOS;
    }
  }

  private void add(Trouble trouble, long at) {
    NodeId node = node();
    long lasts = (1L << random.nextInt(13)) * MILLI_NANOS;
    switch (trouble) {
      case POWER -> downUp(at, new Fault.LosePower(node), node, lasts);
      case POWER_OF_ALL -> {
        for (int i = 1; i <= options.nodes(); i++) {
          NodeId each = new NodeId("n" + i);
          downUp(at, new Fault.LosePower(each), each, lasts);
        }
      }
      case POWER_AT_CALL ->
          downUp(
              at,
              new Fault.LosePowerAtCall(node, 1 + random.nextInt(40), random.nextBoolean()),
              node,
              lasts + SECOND_NANOS);
      case KILL -> downUp(at, new Fault.Kill(node), node, lasts);
      case PAUSE -> add(at, new Fault.Pause(node, lasts));
      case PAUSE_LANE -> {
        LaneName[] lanes = LaneName.OF_EVERY_NODE;
        add(at, new Fault.PauseLane(node, lanes[random.nextInt(lanes.length)], lasts));
      }
      case CLOCK -> clock(at, node);
      case WALL_CLOCK -> add(at, new Fault.JumpWall(node, random.nextInt(-100_000, 100_000)));
      case DISK_ERROR -> diskError(at, node, lasts);
      case DISK_FULL -> {
        int left = random.nextBoolean() ? 0 : random.nextInt(options.tuning().segmentBytes());
        long fullNanos = lasts + 2 * SECOND_NANOS;
        add(at, new Fault.FillDisk(node, left));
        add(at + fullNanos, new Fault.FreeDisk(node));
        add(at + fullNanos + lasts, new Fault.Restart(node));
      }
      case SLOW_DISK -> {
        add(at, new Fault.SlowDisk(node, (1L << random.nextInt(10)) * MILLI_NANOS));
        add(at + lasts, new Fault.SlowDisk(node, MILLI_NANOS / 10));
      }
      case CUT, ISOLATE, CLIENT_CUT -> cut(trouble, at, node, lasts);
      case BREAK -> add(at, new Fault.Break(node, other(node)));
      case TRANSFER -> add(at, new Fault.Transfer(node));
      case MEMBERS -> addMembers(at);
      case WEATHER -> add(at, weather(random, random.nextBoolean()));
      case CLIENT_BREAK -> add(at, new Fault.BreakClient(client(), node));
    }
  }

  /** Only who is named stays; a node that was removed does not come back. */
  private void addMembers(long at) {
    if (options.tuning().joiners() == 0) {
      return;
    }
    List<NodeId> voters = new ArrayList<>();
    List<NodeId> learners = new ArrayList<>();
    for (int i = 1; i <= options.nodes(); i++) {
      int dice = random.nextInt(10);
      if (dice < 7) {
        voters.add(new NodeId("n" + i));
      } else if (dice < 9) {
        learners.add(new NodeId("n" + i));
      }
    }
    if (!voters.isEmpty()) {
      add(at, new Fault.ChangeMembers(voters, learners));
    }
  }

  private void clock(long at, NodeId node) {
    if (random.nextBoolean()) {
      add(at, new Fault.Drift(node, random.nextInt(-DRIFT_PPM_MAX, DRIFT_PPM_MAX)));
    } else {
      add(at, new Fault.JumpForward(node, random.nextLong(5 * SECOND_NANOS)));
    }
  }

  private void diskError(long at, NodeId node, long lasts) {
    Fault fault =
        random.nextBoolean()
            ? new Fault.FailDiskAtCall(node, 1 + random.nextInt(60))
            : new Fault.FailDiskAtRandom(node, 1 + random.nextInt(50));
    downUp(at, fault, node, lasts + SECOND_NANOS);
  }

  private void cut(Trouble trouble, long at, NodeId node, long lasts) {
    if (trouble == Trouble.ISOLATE) {
      add(at, new Fault.Isolate(node));
    } else if (trouble == Trouble.CLIENT_CUT) {
      add(at, new Fault.CutClient(client(), node));
    } else {
      int ways = 1 + random.nextInt(options.nodes());
      for (int i = 0; i < ways; i++) {
        NodeId from = node();
        add(at, new Fault.Cut(from, other(from)));
      }
    }
    add(at + lasts, new Fault.Heal());
  }

  private void downUp(long at, Fault down, NodeId node, long lasts) {
    add(at, down);
    add(at + lasts, new Fault.Restart(node));
  }

  /**
   * One machine loses or finds damaged what it had, and can know it: a minority, so at most one of
   * three or more. Not drawn is what no node can tell from a torn write, damage to the very end of
   * its log; nor an old copy of a disk, whose node forgets what it has promised.
   */
  private void addDamage() {
    if (options.nodes() < 3) {
      return;
    }
    long at = options.safetyNanos() / 4 + random.nextLong(options.safetyNanos() / 2);
    NodeId node = node();
    NodeFile[] damaged = {NodeFile.IDENTITY, NodeFile.PEERS, NodeFile.VOTE, NodeFile.FIRST_SEGMENT};
    NodeFile file = damaged[random.nextInt(damaged.length)];
    switch (random.nextInt(4)) {
      case 0 -> add(at, new Fault.Wipe(node));
      case 1 -> {
        NodeFile[] all = NodeFile.OF_EVERY_NODE;
        add(at, new Fault.LoseFile(node, all[random.nextInt(all.length)]));
      }
      case 2 -> {
        NodeFile flipped = random.nextBoolean() ? NodeFile.LAST_SEGMENT : file;
        add(at, new Fault.FlipBit(node, flipped, random.nextDouble()));
      }
      default -> add(at, new Fault.ZeroPage(node, file, random.nextDouble()));
    }
    add(at + random.nextLong(SECOND_NANOS), new Fault.Restart(node));
  }

  private void add(long at, Fault fault) {
    if (at < options.safetyNanos()) {
      faults.add(new TimedFault(at, fault));
    }
  }

  private NodeId node() {
    return new NodeId("n" + (1 + random.nextInt(options.nodes())));
  }

  /** In a cluster of one, the node itself: nothing happens between it and itself. */
  private NodeId other(NodeId node) {
    NodeId other = node();
    while (options.nodes() > 1 && other.equals(node)) {
      other = node();
    }
    return other;
  }

  private int client() {
    return random.nextInt(options.clients());
  }
}
