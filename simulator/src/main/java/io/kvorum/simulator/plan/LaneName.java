package io.kvorum.simulator.plan;

/** The threads of a node, as the simulator slows or stops them. */
public enum LaneName {
  LOOP,
  LOG,
  APPLY,
  WORKER,
  WATCH,
  SNAPSHOT;

  /** Those that a node has whose run knows no snapshots. */
  static final LaneName[] OF_EVERY_NODE = {LOOP, LOG, APPLY, WORKER, WATCH};
}
