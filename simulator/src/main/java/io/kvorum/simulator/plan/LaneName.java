package io.kvorum.simulator.plan;

/** The threads of a node, as the simulator slows or stops them. */
public enum LaneName {
  LOOP,
  LOG,
  APPLY,
  WORKER,
  WATCH
}
