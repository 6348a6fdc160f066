package io.kvorum.simulator.cli;

import io.kvorum.simulator.zoo.Zoo;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Hunts the planted bugs, and says of each how it was found. */
final class ZooHunt {
  static final int SEEDS_MAX = 2000;

  private final Tools tools;
  private final long from;
  private final int threads;

  ZooHunt(Tools tools, long from, int threads) {
    this.tools = tools;
    this.from = from;
    this.threads = threads;
  }

  /**
   * Says whether each was found.
   *
   * @throws IllegalArgumentException if a name is unknown, or there are no sources
   */
  boolean run(List<String> bugs, int seedsMax) {
    long begin = tools.clock().nanoTime();
    Zoo zoo = new Zoo(Path.of(System.getProperty("kvorum.root", ".")), bugs);
    List<Zoo.Verdict> verdicts = zoo.hunt(from, seedsMax, threads, this::tell);
    long missed = verdicts.stream().filter(verdict -> !verdict.isFound()).count();
    tools
        .out()
        .printf(
            Locale.ROOT,
            "zoo: %s bugs=%d found=%d missed=%d seconds=%d%n",
            missed == 0 ? "OK" : "FAILED",
            verdicts.size(),
            verdicts.size() - missed,
            missed,
            TimeUnit.NANOSECONDS.toSeconds(tools.clock().nanoTime() - begin));
    return missed == 0;
  }

  private void tell(Zoo.Verdict verdict) {
    String how =
        verdict.isFound()
            ? "found by seed "
                + verdict.seed()
                + ", the "
                + verdict.seeds()
                + ". tried, by "
                + verdict.checker()
            : "MISSED in " + verdict.seeds() + " seeds";
    tools.out().printf(Locale.ROOT, "%-46s %-22s %s%n", verdict.name(), verdict.faults(), how);
    tools.out().flush();
  }
}
