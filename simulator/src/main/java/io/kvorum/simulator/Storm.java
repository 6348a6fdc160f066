package io.kvorum.simulator;

import io.kvorum.simulator.plan.Plans.Trouble;
import java.util.List;

/** Kinds of faults that strike a {@link SimCluster} at times and places that its seed draws. */
public enum Storm {
  /** A node's process is killed, and started again after a while. */
  KILL,
  /** A machine loses power, and with it what was not synced. */
  POWER,
  /** All machines lose power at once. */
  POWER_OF_ALL,
  /** A process stands still, as in a long collection of garbage, and does not know it. */
  PAUSE,
  /** Nodes are cut off from each other: one from all, or single ways in one direction. */
  PARTITION,
  /** Messages between nodes are late, lost, repeated and reordered; connections break. */
  BAD_NETWORK,
  /** Clients are cut off from nodes, or lose their connections with what was under way. */
  CLIENT_NETWORK,
  /** Monotonic clocks run fast or slow, or jump forward; wall clocks jump. */
  CLOCK,
  /** A disk is full for a while; its node stops itself over that. */
  DISK_FULL,
  /** A disk takes up to half a second for each sync. */
  SLOW_DISK,
  /** The leader hands over to another node. */
  LEADER_CHANGE;

  /** As plans know them; the leadership is no matter of a plan. */
  List<Trouble> troubles() {
    return switch (this) {
      case KILL -> List.of(Trouble.KILL);
      case POWER -> List.of(Trouble.POWER);
      case POWER_OF_ALL -> List.of(Trouble.POWER_OF_ALL);
      case PAUSE -> List.of(Trouble.PAUSE);
      case PARTITION -> List.of(Trouble.CUT, Trouble.ISOLATE);
      case BAD_NETWORK -> List.of(Trouble.WEATHER, Trouble.BREAK);
      case CLIENT_NETWORK -> List.of(Trouble.CLIENT_CUT, Trouble.CLIENT_BREAK);
      case CLOCK -> List.of(Trouble.CLOCK, Trouble.WALL_CLOCK);
      case DISK_FULL -> List.of(Trouble.DISK_FULL);
      case SLOW_DISK -> List.of(Trouble.SLOW_DISK);
      case LEADER_CHANGE -> List.of();
    };
  }
}
