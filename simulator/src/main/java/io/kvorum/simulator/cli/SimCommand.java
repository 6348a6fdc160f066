package io.kvorum.simulator.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvorum.simulator.plan.ImpossiblePlanException;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.run.SimRunner;
import io.kvorum.simulator.run.SnapshotTotals;
import io.kvorum.simulator.run.Totals;
import io.kvorum.simulator.shrink.PlanText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says which runs to make, makes them, and says how they went. */
@Command(
    name = "sim",
    sortOptions = false,
    usageHelpWidth = 100,
    synopsisHeading = "Usage: ./kvorum ",
    customSynopsis = {
      "sim --runs N [--from SEED] [--threads T] [--rocks]",
      "       ./kvorum sim --minutes M [--from SEED] [--threads T] [--rocks]",
      "       ./kvorum sim --seed SEED [--trace] [--html FILE] [--rocks]",
      "       ./kvorum sim --plan FILE [--trace] [--html FILE] [--rocks]",
      "       ./kvorum sim --zoo [--bug NAME]... [--runs N] [--from SEED] [--threads T]"
    },
    description = {
      "",
      "Runs whole clusters, with their clients, on virtual time, network and disk, and strikes them"
          + " with faults. One seed decides everything, so a run can be repeated. Every run is"
          + " watched for what Kvorum promises; the first that breaks a promise ends the command."
          + " Its plan is then shrunk to what the failure needs, and written with a diagram to"
          + " target/sim.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no promise was broken",
      "1:one was",
      "2:wrong usage, or a file that cannot be read or written"
    })
final class SimCommand implements Callable<Integer> {
  static final int OK = 0;
  static final int VIOLATION = 1;
  static final int USAGE = 2;

  private static final int THREADS_MAX = 1_024;

  /** A year. */
  private static final long MINUTES_MAX = 525_600;

  /** Of each planted bug. */
  private static final int ZOO_RUNS_MAX = 1_000_000;

  private final Tools tools;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Run this many seeds, one after another.")
  private @Nullable Long runs;

  @Option(names = "--minutes", paramLabel = "M", description = "Run seeds for this long.")
  private @Nullable Long minutes;

  @Option(
      names = "--from",
      paramLabel = "SEED",
      description =
          "The first of these seeds. Without it: those that once failed and were kept, then 1, 2,"
              + " and so on.")
  private @Nullable Long from;

  @Option(names = "--seed", paramLabel = "SEED", description = "Run this seed alone.")
  private @Nullable Long seed;

  @Option(names = "--plan", paramLabel = "FILE", description = "Run the plan in this file.")
  private @Nullable Path plan;

  @Option(
      names = "--zoo",
      description = {
        "Plant each known bug in turn and see how many seeds find it, up to --runs (2000). Needs a"
            + " checkout and a JDK."
      })
  private boolean zoo;

  @Option(
      names = "--bug",
      paramLabel = "NAME",
      description = "With --zoo: only this one; may be given several times.")
  private List<String> bugs = new ArrayList<>();

  @Option(names = "--trace", description = "Print every event.")
  private boolean trace;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Draw the run as a diagram, up to its end or to the broken promise.")
  private @Nullable Path html;

  @Option(
      names = "--threads",
      paramLabel = "T",
      description = "Runs at the same time; as many as there are processors when not given.")
  private @Nullable Integer threads;

  @Option(
      names = "--rocks",
      description =
          "Put real RocksDB below the stores, in a temporary directory, instead of tables in"
              + " memory. The same runs, but slower.")
  private boolean rocks;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli shows the usage when it is set.
  private boolean help;

  private SimCommand(Tools tools) {
    this.tools = tools;
  }

  /** Runs the command; returns its exit code. */
  static int run(Tools tools, String... arguments) {
    CommandLine line = new CommandLine(new SimCommand(tools));
    line.setExpandAtFiles(false);
    line.setOut(new PrintWriter(tools.out(), true, UTF_8));
    line.setParameterExceptionHandler((wrong, given) -> usage(tools, wrong.getMessage()));
    line.setExecutionExceptionHandler(
        (thrown, command, result) -> {
          if (thrown instanceof Wrong || thrown instanceof IllegalArgumentException) {
            return usage(tools, thrown.getMessage());
          }
          throw thrown;
        });
    return line.execute(arguments);
  }

  private static int usage(Tools tools, @Nullable String message) {
    tools.err().println("sim: " + message);
    tools.err().println("Try: ./kvorum sim --help");
    return USAGE;
  }

  /** Wrong usage; the message says what is allowed. */
  private static final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Wrong(String message) {
      super(message);
    }
  }

  @Override
  public Integer call() throws Exception {
    check();
    if (zoo) {
      ZooHunt hunt = new ZooHunt(tools, from == null ? 1 : from, threadCount());
      return hunt.run(bugs, runs == null ? ZooHunt.SEEDS_MAX : Math.toIntExact(runs))
          ? OK
          : VIOLATION;
    }
    if (runs != null || minutes != null) {
      return runMany(limits());
    }
    if (plan != null) {
      return runOne(readPlan(plan), true);
    }
    if (seed != null) {
      return runOne(tools.plans().apply(seed), false);
    }
    throw new AssertionError("checked above");
  }

  private int threadCount() {
    return threads == null ? Runtime.getRuntime().availableProcessors() : threads;
  }

  private void check() {
    if (zoo) {
      checkZoo();
      return;
    }
    if (!bugs.isEmpty()) {
      throw new Wrong("--bug goes with --zoo");
    }
    long ways =
        Arrays.asList(runs, minutes, seed, plan).stream().filter(way -> way != null).count();
    if (ways != 1) {
      throw new Wrong("say what to run, with one of --runs, --minutes, --seed, --plan, --zoo");
    }
    boolean one = seed != null || plan != null;
    if (one && (from != null || threads != null)) {
      throw new Wrong("--from and --threads go with --runs or --minutes");
    }
    if (!one && (trace || html != null)) {
      throw new Wrong("--trace and --html go with --seed or --plan");
    }
    checkNumber("--runs", runs, Long.MAX_VALUE);
    checkNumber("--minutes", minutes, MINUTES_MAX);
    checkThreads();
    checkDiagram(html);
  }

  private void checkZoo() {
    if (minutes != null || seed != null || plan != null || trace || html != null) {
      throw new Wrong("--zoo goes with --bug, --runs, --from and --threads only");
    }
    if (rocks) {
      throw new Wrong(
          "--zoo hunts over tables in memory; --rocks goes with --runs, --minutes, --seed or"
              + " --plan");
    }
    checkNumber("--runs", runs, ZOO_RUNS_MAX);
    checkThreads();
  }

  private void checkThreads() {
    checkNumber("--threads", threads == null ? null : (long) threads, THREADS_MAX);
  }

  private static void checkNumber(String option, @Nullable Long number, long most) {
    if (number != null && number < 1) {
      throw new Wrong(option + " wants a number above 0, not " + number);
    }
    if (number != null && number > most) {
      throw new Wrong(option + " wants a number up to " + most + ", not " + number);
    }
  }

  /** What is wrong with the place of the diagram shows before the run, which may take long. */
  private static void checkDiagram(@Nullable Path file) {
    if (file == null) {
      return;
    }
    if (file.toString().isEmpty() || Files.isDirectory(file)) {
      throw new Wrong("--html wants a file to write, not the directory \"" + file + "\"");
    }
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new Wrong("--html wants a file in a directory that exists, not " + file);
    }
    if (!Files.isWritable(Files.exists(file) ? file : directory)) {
      throw new Wrong("--html wants a file that can be written, not " + file);
    }
  }

  private SimRunner.Limits limits() {
    List<Long> kept = from == null ? tools.keptSeeds().get() : List.of();
    LongStream fresh = LongStream.iterate(from == null ? 1 : from, number -> number + 1);
    if (runs != null) {
      fresh = fresh.limit(runs);
    }
    LongStream seeds = LongStream.concat(kept.stream().mapToLong(Long::longValue), fresh);
    PrimitiveIterator.OfLong iterator = seeds.iterator();
    long nanosMax = minutes == null ? Long.MAX_VALUE : TimeUnit.MINUTES.toNanos(minutes);
    return new SimRunner.Limits(iterator, nanosMax, threadCount());
  }

  private static SimPlan readPlan(Path file) {
    try {
      return PlanText.read(Files.readString(file, UTF_8));
    } catch (IOException unreadable) {
      throw new Wrong("cannot read the plan in " + file + ": " + unreadable);
    } catch (IllegalArgumentException wrong) {
      throw new Wrong(file + " is no plan: " + wrong.getMessage());
    }
  }

  private int runMany(SimRunner.Limits limits) throws InterruptedException, IOException {
    SimRunner runner =
        new SimRunner(
            tools.universe(rocks),
            tools.plans(),
            tools.checkers(),
            tools.clock(),
            totals -> tools.err().println(Lines.progress(totals)));
    Totals totals = runner.run(limits);
    tools.err().println(Lines.progress(totals));
    tellOfSnapshots(totals);
    Totals.Failure failure = totals.failure();
    if (failure == null) {
      tools.out().println(Lines.ok(totals));
      return OK;
    }
    List<String> replays = new ArrayList<>();
    replays.add(Lines.replay("--seed " + failure.plan().seed(), rocks));
    replays.add(new Findings(tools, rocks).shrunk(failure.plan(), failure.violation()));
    return failed(failure, replays);
  }

  private void tellOfSnapshots(Totals totals) {
    if (!totals.snapshots().equals(SnapshotTotals.NONE)) {
      tools.err().println(Lines.snapshots(totals.snapshots()));
    }
  }

  private int failed(Totals.Failure failure, List<String> replays) {
    tools.out().println(Lines.failed(failure.plan().seed(), failure.violation()));
    replays.forEach(tools.out()::println);
    return VIOLATION;
  }

  private int runOne(SimPlan chosen, boolean isShrunk) throws IOException {
    Replay replay = new Replay(tools, tools.universe(rocks), chosen, trace);
    Totals totals = replay.run(html);
    tellOfSnapshots(totals);
    Totals.Failure failure = totals.failure();
    if (failure == null) {
      tools.out().println(Lines.ok(totals));
      return replay.isUndrawn() ? USAGE : OK;
    }
    if (isShrunk && failure.violation().getCause() instanceof ImpossiblePlanException impossible) {
      throw new Wrong(plan + " cannot be run: " + impossible.getMessage());
    }
    List<String> replays = new ArrayList<>();
    if (isShrunk) {
      replays.add(Lines.replay("--plan " + plan, rocks));
    } else {
      replays.add(Lines.replay("--seed " + chosen.seed(), rocks));
      replays.add(new Findings(tools, rocks).shrunk(chosen, failure.violation()));
    }
    return failed(failure, replays);
  }
}
