package io.kvorum.simulator.cli;

import io.kvorum.simulator.check.Violation;
import io.kvorum.simulator.run.SnapshotTotals;
import io.kvorum.simulator.run.Totals;
import java.util.concurrent.TimeUnit;

/** What the command says, line by line. Programs read the last ones: they keep their form. */
final class Lines {
  private Lines() {}

  static String ok(Totals totals) {
    return "sim: OK runs="
        + totals.runs()
        + " events="
        + totals.events()
        + " violations=0 seconds="
        + TimeUnit.NANOSECONDS.toSeconds(totals.elapsedNanos());
  }

  /** So that nobody takes runs in which no snapshot travelled for a test of them. */
  static String snapshots(SnapshotTotals snapshots) {
    return "sim: snapshots taken="
        + snapshots.taken()
        + " received="
        + snapshots.received()
        + " installed="
        + snapshots.installed()
        + " cuts="
        + snapshots.cuts()
        + " frames="
        + snapshots.frames();
  }

  static String failed(long seed, Violation violation) {
    return "sim: FAILED seed=" + seed + " checker=" + promise(violation);
  }

  /** Which promise was broken, and how, on one line. */
  static String promise(Violation violation) {
    String message = String.valueOf(violation.getMessage());
    return violation.checker() + " " + message.lines().findFirst().orElse("");
  }

  /**
   * What shows a run again.
   *
   * @param what the options that name it
   * @param rocks whether it was a run over RocksDB
   */
  static String replay(String what, boolean rocks) {
    return "./kvorum sim " + what + (rocks ? " --rocks" : "") + " --trace";
  }

  static String progress(Totals totals) {
    return "sim: "
        + totals.runs()
        + " runs, "
        + totals.events()
        + " events in "
        + TimeUnit.NANOSECONDS.toSeconds(totals.elapsedNanos())
        + " s, "
        + totals.speed()
        + " simulated seconds per second, "
        + totals.undecided()
        + " histories undecided";
  }
}
