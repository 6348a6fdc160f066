package io.kvorum.simulator.run;

/**
 * What was done about snapshots.
 *
 * @param taken that nodes have published of their own state
 * @param received that nodes have published of what others sent
 * @param installed that have replaced a state
 * @param cuts of logs behind them
 * @param frames about them that have arrived
 */
public record SnapshotTotals(long taken, long received, long installed, long cuts, long frames) {
  /** None at all. */
  public static final SnapshotTotals NONE = new SnapshotTotals(0, 0, 0, 0, 0);

  /** Both together. */
  public SnapshotTotals plus(SnapshotTotals other) {
    return new SnapshotTotals(
        taken + other.taken,
        received + other.received,
        installed + other.installed,
        cuts + other.cuts,
        frames + other.frames);
  }
}
