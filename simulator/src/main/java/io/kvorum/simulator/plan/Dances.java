package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * Draws faults that follow each other within a few election timeouts, and that mean whoever leads,
 * follows or campaigns at the moment: so leaders come and go with entries that few others have,
 * which faults at random places hardly ever bring about.
 *
 * <p>A dance has a few figures and moments of its own, and repeats them in any order, a beat each:
 * the same again and again to whoever leads by then. What one figure has cut, the next finds cut.
 */
final class Dances {
  private static final long MILLI_NANOS = 1_000_000;

  /** Two clocks that differ by this much, one each way, are within what leases allow. */
  private static final int DRIFT_PPM = 24_000;

  /** One thing that is done to the group, in one beat. */
  enum Figure {
    /** The leader is split off, alone or with one other. */
    SPLIT,
    /** The leader's process or machine goes down, and comes back soon. */
    FALL,
    /** The leader, or one thread of it, stands still for a few election timeouts. */
    STALL,
    /** Leadership is handed over, and something happens on the way. */
    HAND_OVER,
    /** The members change, and something happens on the way. */
    REGROUP,
    /** Two leaders change the members, neither of them as the other does (FAULTS F077). */
    RIVALS,
    /** Somebody else restarts within an election timeout. */
    BOUNCE,
    /** The leader and one other do not hear each other, or one of them does not. */
    LINK
  }

  private final SplittableRandom random;
  private final SimOptions options;
  private final BiConsumer<Long, Fault> faults;
  private final long electionNanos;
  private final List<List<Fault.Moment>> moments;
  private final List<NodeId> usualSide;
  private final boolean changesWhenElected;

  /**
   * Dances for a run with these options.
   *
   * @param faults takes each fault with its time, in any order
   */
  Dances(SplittableRandom random, SimOptions options, BiConsumer<Long, Fault> faults) {
    this.random = random;
    this.options = options;
    this.faults = faults;
    this.electionNanos = options.tuning().electionMillis() * MILLI_NANOS;
    this.moments = moments();
    this.usualSide = side();
    this.changesWhenElected = random.nextBoolean();
  }

  /** One dance, as long as the options say. */
  void dance() {
    List<Figure> figures = figures();
    if (random.nextInt(3) == 0) {
      drift();
    }
    long beatNanos = electionNanos * (2 + random.nextInt(6)) / 2;
    int healOneIn = 2 + random.nextInt(5);
    long at = electionNanos;
    while (at < options.safetyNanos()) {
      figure(figures.get(random.nextInt(figures.size())), at);
      at += beatNanos / 2 + random.nextLong(beatNanos);
      if (random.nextInt(healOneIn) == 0) {
        faults.accept(at - 1, new Fault.Heal());
      }
    }
  }

  private List<Figure> figures() {
    List<Figure> all = new ArrayList<>(List.of(Figure.values()));
    List<Figure> figures = new ArrayList<>();
    all.removeAll(List.of(Figure.REGROUP, Figure.RIVALS));
    if (options.tuning().joiners() > 0) {
      figures.add(Figure.REGROUP);
      if (options.nodes() == 5) {
        figures.add(Figure.RIVALS);
      }
    }
    if (random.nextBoolean()) {
      figures.add(Figure.SPLIT);
    }
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      figures.add(all.get(random.nextInt(all.size())));
    }
    return figures;
  }

  private void figure(Figure figure, long at) {
    switch (figure) {
      case SPLIT -> faults.accept(at, perhapsLater(split()));
      case FALL -> fall(at);
      case STALL -> stall(at);
      case HAND_OVER -> handOver(at);
      case REGROUP -> regroup(at);
      case RIVALS -> rivals(at);
      case BOUNCE -> bounce(at);
      case LINK -> link(at, follower());
    }
  }

  /** At once, or at one of this dance's own moments. */
  private Fault perhapsLater(Fault fault) {
    List<Fault.Moment> steps = moments.get(random.nextInt(moments.size()));
    Fault last = fault;
    for (int i = steps.size() - 1; i >= 0; i--) {
      last = new Fault.Await(steps.get(i), last);
    }
    return last;
  }

  /** Moments at which a leader's log is likely to differ from the others', each a chain of them. */
  private List<List<Fault.Moment>> moments() {
    List<List<Fault.Moment>> drawn = new ArrayList<>();
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      Fault.Moment elected = new Fault.Moment(Cue.ELECTED, 1, 0);
      Cue sending = random.nextBoolean() ? Cue.APPENDED : Cue.DELIVERED;
      Fault.Moment sent = new Fault.Moment(sending, 1 + random.nextInt(6), delayNanos());
      drawn.add(
          switch (random.nextInt(6)) {
            case 0 -> List.of();
            case 1 -> List.of(moment(Cue.ELECTED));
            case 2 -> List.of(moment(random.nextBoolean() ? Cue.CAMPAIGNED : Cue.VOTED));
            case 3 -> List.of(sent);
            default -> List.of(elected, sent);
          });
    }
    return drawn;
  }

  private Fault.Moment moment(Cue cue) {
    return new Fault.Moment(cue, 1, delayNanos());
  }

  /** Mostly at once; else some messages later. */
  private long delayNanos() {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong(2 * MILLI_NANOS);
      case 1 -> random.nextLong(electionNanos / 2);
      default -> 0;
    };
  }

  private Fault await(Cue cue, int count, Fault then) {
    return new Fault.Await(new Fault.Moment(cue, count, delayNanos()), then);
  }

  /** Often as this dance always does it. */
  private Fault split() {
    List<NodeId> side = random.nextBoolean() ? side() : usualSide;
    return new Fault.Split(side, random.nextInt(options.clients() + 1));
  }

  private List<NodeId> side() {
    return switch (random.nextInt(6)) {
      case 0 -> List.of(Whom.LEADER.id(), Whom.DEPUTY.id());
      case 1 -> List.of(Whom.LEADER.id(), Whom.LAGGARD.id());
      case 2 -> List.of(Whom.LEADER.id(), Whom.PREDECESSOR.id());
      default -> List.of(Whom.LEADER.id());
    };
  }

  private void fall(long at) {
    NodeId who = Whom.LEADER.id();
    Fault down =
        switch (random.nextInt(4)) {
          case 0 -> new Fault.Kill(who);
          case 1 -> new Fault.LosePowerAtCall(who, 1 + random.nextInt(6), random.nextBoolean());
          default -> new Fault.LosePower(who);
        };
    faults.accept(at, perhapsLater(down));
    faults.accept(at + random.nextLong(3 * electionNanos), new Fault.Restart(Whom.FALLEN.id()));
  }

  private void stall(long at) {
    NodeId who = random.nextInt(4) == 0 ? follower() : Whom.LEADER.id();
    long nanos = electionNanos / 2 + random.nextLong(4 * electionNanos);
    LaneName[] lanes = LaneName.OF_EVERY_NODE;
    Fault pause =
        switch (random.nextInt(5)) {
          case 0 -> new Fault.PauseLane(who, lanes[random.nextInt(lanes.length)], nanos);
          case 1 -> new Fault.PauseLane(who, LaneName.LOG, nanos);
          // What was to be read goes on with it, however old its answer is by then.
          case 2 -> new Fault.PauseLane(who, LaneName.APPLY, nanos);
          default -> new Fault.Pause(who, nanos);
        };
    faults.accept(at, pause);
    switch (random.nextInt(3)) {
      case 0 -> faults.accept(at, split());
      case 1 -> faults.accept(at + random.nextLong(electionNanos), split());
      default -> {
        // It is heard again as soon as it goes on.
      }
    }
    if (random.nextBoolean()) {
      faults.accept(at + random.nextLong(nanos), new Fault.Heal());
    }
    if (random.nextInt(3) == 0) {
      Fault down = new Fault.LosePower(Whom.PREDECESSOR.id());
      boolean atOnce = random.nextBoolean();
      faults.accept(at + random.nextLong(nanos), atOnce ? down : await(Cue.TRUNCATED, 1, down));
      faults.accept(at + nanos, new Fault.Restart(Whom.FALLEN.id()));
    }
  }

  private void handOver(long at) {
    faults.accept(at, new Fault.Transfer(follower()));
    Fault then = random.nextInt(4) == 0 ? new Fault.Kill(Whom.LEADER.id()) : split();
    faults.accept(at, await(Cue.HANDED_OVER, 1, then));
    faults.accept(at + 3 * electionNanos, new Fault.Restart(Whom.FALLEN.id()));
  }

  private void regroup(long at) {
    Fault change = membersChange();
    if (changesWhenElected) {
      faults.accept(at, new Fault.Await(new Fault.Moment(Cue.ELECTED, 1, 0), change));
    } else {
      faults.accept(at, change);
    }
    Fault then = random.nextInt(4) == 0 ? new Fault.LosePower(Whom.LEADER.id()) : split();
    if (changesWhenElected && random.nextBoolean()) {
      faults.accept(at, await(Cue.ELECTED, 1, then));
    } else if (random.nextBoolean()) {
      faults.accept(at, await(Cue.REGROUPED, 1 + random.nextInt(4), then));
    }
    faults.accept(at + 2 * electionNanos, new Fault.Restart(Whom.FALLEN.id()));
  }

  /**
   * Of four voters the leader is left with a learner, which it makes the fifth, while the others
   * elect one that removes it; then one of those is left with these two.
   */
  private void rivals(long at) {
    NodeId first = new NodeId("n1");
    NodeId last = new NodeId("n5");
    List<NodeId> others = List.of(new NodeId("n2"), new NodeId("n3"), new NodeId("n4"));
    NodeId torn = others.get(random.nextInt(others.size()));
    List<NodeId> four = new ArrayList<>(others);
    four.add(0, first);
    List<NodeId> five = new ArrayList<>(four);
    five.add(last);
    faults.accept(at, new Fault.Heal());
    faults.accept(at, new Fault.ChangeMembers(four, List.of(last)));
    faults.accept(at + electionNanos, new Fault.Transfer(first));
    long parted = at + 2 * electionNanos;
    faults.accept(parted, new Fault.Split(List.of(first, last), 0));
    faults.accept(parted + 1, new Fault.ChangeMembers(five, List.of()));
    Fault.Moment elected = new Fault.Moment(Cue.ELECTED, 1, 0);
    Fault tear = new Fault.Split(List.of(first, last, torn), 0);
    faults.accept(parted + 2, new Fault.Await(elected, tear));
    faults.accept(parted + 3, new Fault.Await(elected, new Fault.ChangeMembers(others, List.of())));
  }

  /** One becomes a learner, or all become voters. */
  private Fault membersChange() {
    List<NodeId> voters = new ArrayList<>();
    List<NodeId> learners = new ArrayList<>();
    int other = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(options.nodes());
    for (int i = 1; i <= options.nodes(); i++) {
      (i == other ? learners : voters).add(new NodeId("n" + i));
    }
    return new Fault.ChangeMembers(voters, learners);
  }

  private void bounce(long at) {
    NodeId who = random.nextInt(3) == 0 ? Whom.CANDIDATE.id() : follower();
    long then = at;
    if (random.nextBoolean()) {
      // One has missed the leader for a while, when another one forgets that it has heard it.
      link(at, Whom.LAGGARD.id());
      then += electionNanos + random.nextLong(2 * electionNanos);
      who = Whom.DEPUTY.id();
    }
    Fault down = random.nextBoolean() ? new Fault.Kill(who) : new Fault.LosePower(who);
    long lasts = random.nextLong(electionNanos / 2);
    faults.accept(then, down);
    if (random.nextBoolean()) {
      faults.accept(then + (random.nextBoolean() ? 0 : random.nextLong(lasts + 1)), split());
    }
    faults.accept(then + lasts, new Fault.Restart(Whom.FALLEN.id()));
  }

  private void link(long at, NodeId who) {
    int ways = random.nextInt(4);
    if (ways != 1) {
      faults.accept(at, new Fault.Cut(Whom.LEADER.id(), who));
    }
    if (ways != 2) {
      faults.accept(at, new Fault.Cut(who, Whom.LEADER.id()));
    }
  }

  private void drift() {
    for (int i = 1; i <= options.nodes(); i++) {
      int ppm = random.nextBoolean() ? DRIFT_PPM : -DRIFT_PPM;
      faults.accept(0L, new Fault.Drift(new NodeId("n" + i), ppm));
    }
  }

  private NodeId follower() {
    return random.nextBoolean() ? Whom.DEPUTY.id() : Whom.LAGGARD.id();
  }
}
