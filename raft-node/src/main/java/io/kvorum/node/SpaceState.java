package io.kvorum.node;

/** How much space a node's disk has left, by the marks of its {@link SpaceConfig}. */
public enum SpaceState {
  OK,
  /** What needs space is refused; another member should lead. */
  LOW,
  /** And what was kept in reserve is given up, so that the node itself can go on. */
  CRITICAL
}
