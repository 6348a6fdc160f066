package io.kvorum.simulator.plan;

/**
 * The shape of a run.
 *
 * @param nodes members at the start, 1 to 7
 * @param clients that call one after another, each
 * @param keys how many different keys they use
 * @param operationsMax after which the clients stop calling
 * @param safetyNanos how long faults strike; afterwards a majority is healed and has to get on
 * @param tuning of nodes, network and load
 */
public record SimOptions(
    int nodes, int clients, int keys, int operationsMax, long safetyNanos, Tuning tuning) {
  public SimOptions {
    check(nodes >= 1 && nodes <= 7, "1 to 7 nodes");
    check(clients >= 1, "at least one client");
    check(keys >= 1, "at least one key");
    check(operationsMax >= 0 && safetyNanos >= 0, "no negative bounds");
  }

  /** With {@link Tuning#DEFAULT}. */
  public SimOptions(int nodes, int clients, int keys, int operationsMax, long safetyNanos) {
    this(nodes, clients, keys, operationsMax, safetyNanos, Tuning.DEFAULT);
  }

  private static void check(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException("a run has " + rule);
    }
  }

  /** With another number of calls. */
  public SimOptions withOperationsMax(int most) {
    return new SimOptions(nodes, clients, keys, most, safetyNanos, tuning);
  }

  /** With another length of the time of faults. */
  public SimOptions withSafetyNanos(long nanos) {
    return new SimOptions(nodes, clients, keys, operationsMax, nanos, tuning);
  }

  /** With other settings. */
  public SimOptions withTuning(Tuning other) {
    return new SimOptions(nodes, clients, keys, operationsMax, safetyNanos, other);
  }
}
