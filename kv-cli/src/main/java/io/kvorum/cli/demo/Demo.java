package io.kvorum.cli.demo;

import io.kvorum.api.Bytes;
import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.cli.transfer.Importer;
import io.kvorum.node.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The main job on real input, with everything that may go wrong going wrong: load, read back, kill
 * the leader under load, restart it, kill all nodes, restart them, and compare after each.
 */
public final class Demo {
  /** Writers of the running load. */
  static final int WRITERS = 64;

  // A machine that is busy with something else is slow, and no reason to doubt the cluster.
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);
  private static final Duration LEADER_LIMIT = Duration.ofMinutes(2);
  private static final Duration CATCH_UP_LIMIT = Duration.ofMinutes(5);
  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

  /** How long the load runs before the leader dies, and after another leads. */
  private final Duration loadTime;

  private final DemoCluster cluster;
  private final int recordsMax;
  private final Clock clock;
  private final Waiting waiting;
  private final Consumer<String> lines;
  private final int nodes;
  private long stepStart;
  private long lost;
  private long wrong;

  /**
   * @param nodes how many the cluster has
   * @param recordsMax the most characters to load
   * @param loadTime how long the load runs before the leader dies, and again after another leads
   * @param lines takes what a person reads, line by line
   */
  public Demo(
      DemoCluster cluster,
      int nodes,
      int recordsMax,
      Duration loadTime,
      Clock clock,
      Consumer<String> lines) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.recordsMax = recordsMax;
    this.loadTime = loadTime;
    this.clock = clock;
    this.waiting = new Waiting(clock, text -> lines.accept("  ...       " + text));
    this.lines = lines;
  }

  /**
   * Runs it. Once only.
   *
   * @throws DemoFailure if a step did not come to its end; a broken promise is in the result
   */
  public DemoResult run() throws InterruptedException {
    stepStart = clock.nanoTime();
    start();
    String leader = awaitLeader();
    step("start", nodes + " server processes run, " + leader + " leads");

    int records = new UnicodeRecords(recordsMax).count();
    long loadStart = waiting.begin();
    Importer.Result load =
        new Importer(cluster.client(), this::loaded)
            .run(new UnicodeRecords(recordsMax), Bytes.EMPTY);
    requireComplete(load, records);
    long putsPerSecond = perSecond(records, clock.nanoTime() - loadStart);
    step("load", count(records) + " characters of Unicode stored, " + count(putsPerSecond) + "/s");
    compareCharacters("read");

    try (Load counters = new Load(cluster.client(), clock, WRITERS)) {
      long failoverMillis = failover(counters);
      catchUp();
      blackout(counters);
      Load.Tally tally = counters.tally();
      DemoResult result =
          new DemoResult(
              records,
              records + tally.acknowledged(),
              lost + tally.of(Counter.Verdict.LOST),
              tally.of(Counter.Verdict.STALE),
              wrong + tally.of(Counter.Verdict.WRONG),
              failoverMillis,
              putsPerSecond);
      table(result, tally);
      return result;
    }
  }

  private void start() throws InterruptedException {
    cluster.start();
    waiting.until("all servers serve", READY_LIMIT, cluster::serves);
  }

  private void loaded(long stored) {
    waiting.tell(() -> "stores characters, " + count(stored) + " by now");
  }

  /** Kills the leader while the counters count; returns how long writes stood still. */
  private long failover(Load counters) throws InterruptedException {
    counters.start();
    waiting.pass(loadTime);
    String leader = awaitLeader();
    counters.mark();
    cluster.kill9(leader);
    waiting.until(
        "another node leads",
        LEADER_LIMIT,
        () -> leader().filter(next -> !next.equals(leader)).isPresent());
    // More successes than writers: so many cannot be late answers of the one that was killed.
    long enough = counters.successes() + WRITERS + 1;
    waiting.until(
        "writes succeed under the new leader", LEADER_LIMIT, () -> counters.successes() >= enough);
    waiting.pass(loadTime);
    counters.stop(ANSWER_LIMIT);
    long millis = counters.longestGap().toMillis();
    step("kill -9", leader + ", the leader, under load; writes stood still for " + millis + " ms");
    return millis;
  }

  /** Restarts the dead node and waits until it has everything that the leader has committed. */
  private void catchUp() throws InterruptedException {
    start();
    waiting.until("the restarted node has caught up", CATCH_UP_LIMIT, this::allHaveApplied);
    step("restart", "the dead node is back and has caught up");
  }

  /** Kills all nodes at once, restarts them, and compares everything. */
  private void blackout(Load counters) throws InterruptedException {
    cluster.kill9All();
    start();
    String leader = awaitLeader();
    step("kill -9", "all " + nodes + " at once, and restarted; " + leader + " leads");
    counters.readAll(ANSWER_LIMIT);
    compareCharacters("compare");
  }

  private void compareCharacters(String name) throws InterruptedException {
    ReadBack.Verdict verdict = new ReadBack(cluster.client()).run(new UnicodeRecords(recordsMax));
    lost += verdict.lost();
    wrong += verdict.different();
    step(
        name,
        count(verdict.equal())
            + " characters read back equal, "
            + verdict.lost()
            + " lost, "
            + verdict.different()
            + " different");
  }

  private void requireComplete(Importer.Result load, int records) {
    if (load.failure() != null) {
      String why =
          load.failure() instanceof KvException expected
              ? expected.getMessage()
              : load.failure().toString();
      throw new DemoFailure("loading stopped after " + load.stored() + " records: " + why);
    }
    if (load.stored() != records) {
      throw new DemoFailure(load.stored() + " records were stored, not " + records);
    }
  }

  private String awaitLeader() throws InterruptedException {
    AtomicReference<Optional<String>> found = new AtomicReference<>(Optional.empty());
    waiting.until(
        "a node leads",
        LEADER_LIMIT,
        () -> {
          found.set(leader());
          return found.get().isPresent();
        });
    return found.get().orElseThrow();
  }

  /** The node that leads the highest term: one that was deposed may not know yet. */
  private Optional<String> leader() {
    NodeStatus best = null;
    for (NodeStatus status : cluster.status()) {
      boolean leads = status.role().equals("leader");
      if (leads && (best == null || status.term() > best.term())) {
        best = status;
      }
    }
    return Optional.ofNullable(best).map(NodeStatus::nodeId);
  }

  /** No load runs, so what the leader has committed stands still, but for what elections add. */
  private boolean allHaveApplied() {
    List<NodeStatus> all = cluster.status();
    long committed = all.stream().mapToLong(s -> s.log().committed()).max().orElse(0);
    return all.size() == nodes && all.stream().allMatch(s -> s.log().applied() >= committed);
  }

  private void step(String name, String what) {
    long now = clock.nanoTime();
    double seconds = (now - stepStart) / 1e9;
    lines.accept(String.format(Locale.ROOT, "  %-8s  %6.1f s  %s", name, seconds, what));
    stepStart = now;
  }

  private void table(DemoResult result, Load.Tally tally) {
    lines.accept("");
    row("writes acknowledged: a majority had them on disk", count(result.acknowledged()));
    row("writes with unknown outcome when the leader died", count(tally.unknown()));
    row("acknowledged writes lost", count(result.lost()));
    row("reads that returned an old value", count(result.stale()));
    row("values that nobody wrote", count(result.wrong()));
    row("without a leader, writes stood still for", count(result.failoverMillis()) + " ms");
    row("writes per second while loading", count(result.putsPerSecond()));
  }

  private void row(String what, String value) {
    lines.accept(String.format(Locale.ROOT, "  %-50s %12s", what, value));
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static long perSecond(long operations, long nanos) {
    return Math.round(operations / (Math.max(1, nanos) / 1e9));
  }
}
