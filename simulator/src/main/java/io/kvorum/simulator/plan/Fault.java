package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.Locale;

/**
 * Something that is done to the cluster. Its text is what reports and replays show. Wherever a node
 * is named, a name of {@link Whom} may stand.
 */
public sealed interface Fault {
  /** Power is lost: what was not synced is lost, kept or torn. */
  record LosePower(NodeId node) implements Fault {
    @Override
    public String toString() {
      return "power of " + node + " lost";
    }
  }

  /**
   * Power is lost at that call to the disk.
   *
   * @param call counted from now, from 1
   * @param after whether the call still takes effect
   */
  record LosePowerAtCall(NodeId node, int call, boolean after) implements Fault {
    @Override
    public String toString() {
      return "power of " + node + " lost " + (after ? "after" : "before") + " disk call " + call;
    }
  }

  /** The process is killed; what it has written stays. */
  record Kill(NodeId node) implements Fault {
    @Override
    public String toString() {
      return node + " killed";
    }
  }

  /** The machine comes back, if it was down, and its process starts. */
  record Restart(NodeId node) implements Fault {
    @Override
    public String toString() {
      return node + " restarted";
    }
  }

  /** The whole process stands still for a while, and does not know it. */
  record Pause(NodeId node, long nanos) implements Fault {
    @Override
    public String toString() {
      return node + " paused for " + millis(nanos);
    }
  }

  /** One thread of the process stands still for a while. */
  record PauseLane(NodeId node, LaneName lane, long nanos) implements Fault {
    @Override
    public String toString() {
      String name = lane.name().toLowerCase(Locale.ROOT);
      return name + " lane of " + node + " paused for " + millis(nanos);
    }
  }

  /** The monotonic clock runs at another speed from now on. */
  record Drift(NodeId node, int partsPerMillion) implements Fault {
    @Override
    public String toString() {
      return "clock of " + node + " drifts by " + partsPerMillion + " ppm";
    }
  }

  /**
   * The monotonic clock jumps forward, as after a suspension: timers in between are due at once.
   */
  record JumpForward(NodeId node, long nanos) implements Fault {
    @Override
    public String toString() {
      return "clock of " + node + " jumps by " + millis(nanos);
    }
  }

  /** The wall clock jumps, forward or back. */
  record JumpWall(NodeId node, long millis) implements Fault {
    @Override
    public String toString() {
      return "wall clock of " + node + " jumps by " + millis + " ms";
    }
  }

  /** That call to the disk, counted from now, and all after it fail with an I/O error. */
  record FailDiskAtCall(NodeId node, int call) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " fails from call " + call + " on";
    }
  }

  /** Each call to the disk fails by chance. */
  record FailDiskAtRandom(NodeId node, int perMille) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " fails " + perMille + " calls of 1000";
    }
  }

  /** Nothing more fits on the disk but so many bytes. */
  record FillDisk(NodeId node, int bytesLeft) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " has " + bytesLeft + " bytes left";
    }
  }

  /** There is space on the disk again. */
  record FreeDisk(NodeId node) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " has space again";
    }
  }

  /** Writes and syncs take up to so long from now on. */
  record SlowDisk(NodeId node, long nanosMax) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " takes up to " + millis(nanosMax);
    }
  }

  /** The process is killed, and one bit of one of its files is found inverted afterwards. */
  record FlipBit(NodeId node, NodeFile file, double position) implements Fault {
    @Override
    public String toString() {
      return "a bit of " + file + " of " + node + " flipped at " + percent(position);
    }
  }

  /** The process is killed, and a page of one of its files is found zeroed afterwards. */
  record ZeroPage(NodeId node, NodeFile file, double position) implements Fault {
    @Override
    public String toString() {
      return "a page of " + file + " of " + node + " zeroed at " + percent(position);
    }
  }

  /**
   * The process is killed, and the segment that was written last is found zeroed from there to its
   * end: what was durable, as far as the node has noted it, is among that.
   */
  record ZeroTail(NodeId node, double position) implements Fault {
    @Override
    public String toString() {
      return "the end of the log of " + node + " zeroed from " + percent(position) + " on";
    }
  }

  /** The process is killed, and one of its files is gone afterwards. */
  record LoseFile(NodeId node, NodeFile file) implements Fault {
    @Override
    public String toString() {
      return file + " of " + node + " lost";
    }
  }

  /** One byte of one value in the state of a node is another one, and nobody is told. */
  record FlipState(NodeId node, double position) implements Fault {
    @Override
    public String toString() {
      return "a byte in the state of " + node + " flipped at " + percent(position);
    }
  }

  /** The process is killed and its disk replaced by an empty one; then it starts. */
  record Wipe(NodeId node) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " replaced by an empty one";
    }
  }

  /** A copy of the disk is put aside. */
  record CopyDisk(NodeId node) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " copied";
    }
  }

  /** The process is killed, its disk replaced by the copy made last; then it starts. */
  record RestoreCopy(NodeId node) implements Fault {
    @Override
    public String toString() {
      return "disk of " + node + " replaced by its old copy";
    }
  }

  /** Messages in this one direction are lost from now on. */
  record Cut(NodeId from, NodeId to) implements Fault {
    @Override
    public String toString() {
      return "cut " + from + " to " + to;
    }
  }

  /** All ways between this member and the others are cut. */
  record Isolate(NodeId node) implements Fault {
    @Override
    public String toString() {
      return node + " isolated";
    }
  }

  /**
   * The network falls into two parts, and no other way is cut any more. Connections across break,
   * new ones come about within a part only.
   *
   * @param side the nodes of one part; all others are the other one
   * @param clients that are with them, from the first one on
   */
  record Split(List<NodeId> side, int clients) implements Fault {
    public Split {
      side = List.copyOf(side);
    }

    @Override
    public String toString() {
      String with = clients == 0 ? "" : " and the first " + clients + " clients";
      return side + with + " split off";
    }
  }

  /** The connections between two members break; new ones are made at once. */
  record Break(NodeId one, NodeId other) implements Fault {
    @Override
    public String toString() {
      return "connections between " + one + " and " + other + " broken";
    }
  }

  /**
   * How the network between members treats messages from now on.
   *
   * @param delayNanosMax of a usual message; what was sent later may come earlier
   * @param losePerMille that never arrive
   * @param repeatPerMille that arrive twice
   * @param latePerMille that go astray and arrive up to seconds later, whatever is cut or broken
   */
  record Weather(long delayNanosMax, int losePerMille, int repeatPerMille, int latePerMille)
      implements Fault {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "network: delay up to %s, of 1000 messages %d lost, %d repeated, %d late",
          millis(delayNanosMax),
          losePerMille,
          repeatPerMille,
          latePerMille);
    }
  }

  /** Whoever leads is asked to hand over to that node. */
  record Transfer(NodeId to) implements Fault {
    @Override
    public String toString() {
      return "leadership to go to " + to;
    }
  }

  /** Whoever leads is asked for this membership; nodes that are new are started to join. */
  record ChangeMembers(List<NodeId> voters, List<NodeId> learners) implements Fault {
    public ChangeMembers {
      voters = List.copyOf(voters);
      learners = List.copyOf(learners);
    }

    @Override
    public String toString() {
      return "members to be " + voters + (learners.isEmpty() ? "" : ", learners " + learners);
    }
  }

  /** All cuts are mended. */
  record Heal() implements Fault {
    @Override
    public String toString() {
      return "all cuts mended";
    }
  }

  /** Between a client and a node nothing gets through any more, and nobody is told. */
  record CutClient(int client, NodeId node) implements Fault {
    @Override
    public String toString() {
      return "cut client " + client + " from " + node;
    }
  }

  /** The connections between a client and a node break; what was under way is lost. */
  record BreakClient(int client, NodeId node) implements Fault {
    @Override
    public String toString() {
      return "connections of client " + client + " to " + node + " broken";
    }
  }

  /** Something strikes later: when that moment has come. */
  record Await(Moment moment, Fault then) implements Fault {
    @Override
    public String toString() {
      return moment + ": " + then;
    }
  }

  /**
   * A moment that nobody knows beforehand.
   *
   * @param count how often it has to happen, counted from now
   * @param delayNanos between that and the moment
   */
  record Moment(Cue cue, int count, long delayNanos) {
    @Override
    public String toString() {
      return "once " + cue + " " + count + " times, after " + millis(delayNanos);
    }
  }

  private static String millis(long nanos) {
    return nanos / 1_000_000 + "." + nanos / 100_000 % 10 + " ms";
  }

  private static String percent(double position) {
    return Math.round(position * 100) + " %";
  }
}
