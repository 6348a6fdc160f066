package io.kvorum.simulator;

import io.kvorum.simulator.plan.Plans.Trouble;
import java.util.List;

/** Kinds of faults that strike a {@link SimCluster} at times and places that its seed draws. */
public enum Storm {
  /** A node's process is killed, and started again after a while. */
  KILL(Trouble.KILL),
  /** A machine loses power, and with it what was not synced. */
  POWER(Trouble.POWER),
  /** All machines lose power at once. */
  POWER_OF_ALL(Trouble.POWER_OF_ALL),
  /** A process stands still, as in a long collection of garbage, and does not know it. */
  PAUSE(Trouble.PAUSE),
  /** Nodes are cut off from each other: one from all, or single ways in one direction. */
  PARTITION(Trouble.CUT, Trouble.ISOLATE),
  /** Messages between nodes are late, lost, repeated and reordered; connections break. */
  BAD_NETWORK(Trouble.WEATHER, Trouble.BREAK),
  /** Clients are cut off from nodes, or lose their connections with what was under way. */
  CLIENT_NETWORK(Trouble.CLIENT_CUT, Trouble.CLIENT_BREAK),
  /** Monotonic clocks run fast or slow, or jump forward; wall clocks jump. */
  CLOCK(Trouble.CLOCK, Trouble.WALL_CLOCK),
  /** A disk is full for a while; its node stops itself over that. */
  DISK_FULL(Trouble.DISK_FULL),
  /** A disk takes up to half a second for each sync. */
  SLOW_DISK(Trouble.SLOW_DISK),
  /** The leader hands over to another node. */
  LEADER_CHANGE();

  @SuppressWarnings("ImmutableEnumChecker") // Made by List.of.
  private final List<Trouble> troubles;

  Storm(Trouble... troubles) {
    this.troubles = List.of(troubles);
  }

  List<Trouble> troubles() {
    return troubles;
  }
}
