package io.kvorum.bench.report;

import io.kvorum.bench.load.Workload;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Kvorum divided by a peer, median by median: more than 1 is better for the rate, less for the
 * others.
 *
 * @param cpu of the servers, for each operation
 */
public record Ratio(
    Workload workload,
    int clients,
    String peer,
    double operationsPerSecond,
    double p50,
    double p99,
    double cpu) {
  private static final MathContext DIGITS = new MathContext(3);

  /**
   * One for each peer at each point that both were measured at.
   *
   * @param own which of the systems is not a peer
   */
  public static List<Ratio> of(List<Summary> summaries, String own) {
    List<Ratio> ratios = new ArrayList<>();
    for (Summary mine : summaries) {
      if (!mine.system().equals(own)) {
        continue;
      }
      for (Summary theirs : summaries) {
        boolean samePoint =
            theirs.workload() == mine.workload() && theirs.clients() == mine.clients();
        if (samePoint && !theirs.system().equals(own)) {
          ratios.add(of(mine, theirs));
        }
      }
    }
    return ratios;
  }

  private static Ratio of(Summary mine, Summary theirs) {
    return new Ratio(
        mine.workload(),
        mine.clients(),
        theirs.system(),
        mine.operationsPerSecond() / theirs.operationsPerSecond(),
        mine.p50Nanos() / theirs.p50Nanos(),
        mine.p99Nanos() / theirs.p99Nanos(),
        mine.cpuMicros() / theirs.cpuMicros());
  }

  /** The line for scripts. */
  public String line() {
    return "ratio workload="
        + workload.text()
        + " clients="
        + clients
        + " peer="
        + peer
        + " "
        + figures();
  }

  /** The four of them, for lines for scripts. */
  String figures() {
    return "ops="
        + text(operationsPerSecond)
        + " p50="
        + text(p50)
        + " p99="
        + text(p99)
        + " cpu="
        + text(cpu);
  }

  /**
   * At most three digits that count, never with an exponent; what was not measured is no number.
   */
  private static String text(double ratio) {
    return Double.isFinite(ratio) ? new BigDecimal(ratio).round(DIGITS).toPlainString() : "none";
  }
}
