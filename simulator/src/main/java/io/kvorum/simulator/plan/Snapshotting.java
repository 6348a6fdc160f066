package io.kvorum.simulator.plan;

/**
 * When nodes of a run take snapshots, and what they keep.
 *
 * @param logBytes of entries between two snapshots; 0: none are taken, sent or received in the run
 * @param keptLogBytes that are left when the log is cut
 * @param logBudgetBytes that are left for members which need them
 * @param chunkBytes that are asked for at once when one is received
 * @param count of snapshots that a node keeps
 * @param checkEntries between two comparisons of the members' states; 0: there are none
 * @param lackingNode the number of the one that is of a version without comparisons, and stops at
 *     what they leave in the log; 0: nobody is
 */
public record Snapshotting(
    int logBytes,
    int keptLogBytes,
    int logBudgetBytes,
    int chunkBytes,
    int count,
    int checkEntries,
    int lackingNode) {
  /** No snapshots, and no log is ever cut. */
  public static final Snapshotting NONE = new Snapshotting(0, 0, 0, 1, 1, 0, 0);

  Snapshotting withCheckEntries(int entries) {
    return new Snapshotting(
        logBytes, keptLogBytes, logBudgetBytes, chunkBytes, count, entries, lackingNode);
  }

  Snapshotting withLackingNode(int number) {
    return new Snapshotting(
        logBytes, keptLogBytes, logBudgetBytes, chunkBytes, count, checkEntries, number);
  }

  /** Whether there are snapshots in the run. */
  public boolean isOn() {
    return logBytes > 0;
  }
}
