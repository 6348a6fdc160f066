package io.kvorum.simulator.plan;

/**
 * When nodes of a run take snapshots, and what they keep.
 *
 * @param logBytes of entries between two snapshots; 0: none are taken, sent or received in the run
 * @param keptLogBytes that are left when the log is cut
 * @param logBudgetBytes that are left for members which need them
 * @param chunkBytes that are asked for at once when one is received
 * @param count of snapshots that a node keeps
 */
public record Snapshotting(
    int logBytes, int keptLogBytes, int logBudgetBytes, int chunkBytes, int count) {
  /** No snapshots, and no log is ever cut. */
  public static final Snapshotting NONE = new Snapshotting(0, 0, 0, 1, 1);

  /** Whether there are snapshots in the run. */
  public boolean isOn() {
    return logBytes > 0;
  }
}
