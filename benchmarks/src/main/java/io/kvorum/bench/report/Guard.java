package io.kvorum.bench.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/**
 * What is demanded of a build that is compared with another one, the base: that it is not slower.
 * Only the rate decides; latencies and processor time are told.
 *
 * @param least allowed rate, where that of the base is 1; above 0, at most 1
 */
public record Guard(double least) {
  /** Down, so that what is too little never looks like enough. */
  private static final MathContext DIGITS = new MathContext(3, RoundingMode.DOWN);

  /** Names the rule that is broken. */
  public Guard {
    // Written so that what is no number is refused as well.
    if (!(least > 0 && least <= 1)) {
      throw new IllegalArgumentException("--least is above 0 and at most 1, not " + least);
    }
  }

  /** The line for scripts: this build divided by the base. */
  public static String line(Ratio ratio) {
    return "guard workload="
        + ratio.workload().text()
        + " clients="
        + ratio.clients()
        + " "
        + ratio.figures();
  }

  /**
   * Where this build is too slow, and what else was found wrong, for a reader; empty: nothing.
   *
   * @param wrong what the run has found: it fails whatever the rates are
   */
  public List<String> failures(List<Ratio> ratios, List<String> wrong) {
    List<String> failures = new ArrayList<>();
    for (Ratio ratio : ratios) {
      // A rate that was not measured is no number, and not enough either.
      if (!(ratio.operationsPerSecond() >= least)) {
        failures.add(failure(ratio));
      }
    }
    failures.addAll(wrong);
    return failures;
  }

  private String failure(Ratio ratio) {
    return ratio.workload().text()
        + " at "
        + ratio.clients()
        + " clients: "
        + text(ratio.operationsPerSecond())
        + " of the base's rate, at least "
        + BigDecimal.valueOf(least).stripTrailingZeros().toPlainString()
        + " is allowed";
  }

  private static String text(double ratio) {
    return Double.isFinite(ratio)
        ? BigDecimal.valueOf(ratio).round(DIGITS).stripTrailingZeros().toPlainString()
        : "nothing";
  }

  /** The last line of the command. */
  public static String verdict(List<String> failures) {
    return failures.isEmpty()
        ? "guard: OK"
        : "guard: FAILED " + String.join("; ", failures).replace('\n', ' ');
  }
}
