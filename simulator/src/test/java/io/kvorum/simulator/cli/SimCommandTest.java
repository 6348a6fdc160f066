package io.kvorum.simulator.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.node.Clock;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.plan.ImpossiblePlanException;
import io.kvorum.simulator.run.PlantedUniverse;
import io.kvorum.simulator.run.Universe;
import io.kvorum.simulator.shrink.PlanText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Of {@link SimCommand}: what it says, and its exit codes. */
class SimCommandTest {
  /** Stands still. */
  private static final class TestClock implements Clock {
    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }

  @TempDir Path directory;
  private Supplier<List<Checker>> checkers = List::of;
  private List<Long> kept = List.of();
  private Universe universe = new PlantedUniverse();
  private int rocksRuns;

  private record Ran(int code, String out, String err) {
    List<String> lastLines(int count) {
      List<String> lines = out.lines().toList();
      return lines.subList(lines.size() - count, lines.size());
    }
  }

  private Ran run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Tools tools =
        new Tools(
            universe,
            (plan, watching, keepTrace) -> {
              rocksRuns++;
              return new PlantedUniverse().run(plan, watching, keepTrace);
            },
            PlantedUniverse::plan,
            checkers,
            () -> kept,
            new TestClock(),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            directory);
    int code = SimCommand.run(tools, arguments);
    return new Ran(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  private void plant() {
    checkers = () -> List.of(new PlantedUniverse.NoPowerLossAfterCut());
  }

  @Test
  void runsThatKeepAllPromisesEndInOneLine() {
    Ran ran = run("--runs", "20", "--threads", "2");

    assertThat(ran.code()).isZero();
    assertThat(ran.out()).isEqualTo("sim: OK runs=20 events=400 violations=0 seconds=0\n");
    assertThat(ran.err()).contains("20 runs, 400 events", "simulated seconds per second");
  }

  @Test
  void keptSeedsRunFirstUnlessTheFirstSeedIsGiven() {
    kept = List.of(77L, 78L);

    assertThat(run("--runs", "3").out()).startsWith("sim: OK runs=5 ");
    assertThat(run("--runs", "3", "--from", "9").out()).startsWith("sim: OK runs=3 ");
  }

  @Test
  void aFailureIsShrunkAndSaysHowToReplayIt() throws IOException {
    plant();
    kept = List.of(5L);

    Ran ran = run("--runs", "100", "--threads", "1");

    assertThat(ran.code()).isEqualTo(1);
    String seed = ran.out().replaceAll("(?s).*FAILED seed=(\\d+) .*", "$1");
    assertThat(ran.lastLines(3))
        .containsExactly(
            "sim: FAILED seed="
                + seed
                + " checker=NoPowerLossAfterCut "
                + ran.out()
                    .replaceAll("(?s).*FAILED.*(n2 lost power after <n\\d> was cut).*", "$1"),
            "./kvorum sim --seed " + seed + " --trace",
            "./kvorum sim --plan target/sim/seed-" + seed + ".plan --trace");
    assertThat(ran.out()).contains("from 20 faults to 2, at most 1 operations of 1 clients:");
    Path plan = directory.resolve("target/sim/seed-" + seed + ".plan");
    assertThat(PlanText.read(Files.readString(plan)).faults()).hasSize(2);
    assertThat(directory.resolve("target/sim/seed-" + seed + ".html")).isNotEmptyFile();

    Ran again = run("--plan", plan.toString());
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.lastLines(2))
        .containsExactly(ran.lastLines(3).get(0), "./kvorum sim --plan " + plan + " --trace");
  }

  @Test
  void oneSeedCanBeTracedAndDrawn() {
    Path html = directory.resolve("run.html");

    Ran ran = run("--seed", "4", "--trace", "--html", html.toString());

    assertThat(ran.code()).isZero();
    assertThat(ran.out().lines()).hasSize(21);
    assertThat(ran.out()).contains("    1.000000  *    fault     ");
    assertThat(ran.lastLines(1)).containsExactly("sim: OK runs=1 events=20 violations=0 seconds=0");
    assertThat(html).isNotEmptyFile();
  }

  @Test
  void theTraceOfAFailureEndsWithWhatBrokeThePromise() {
    plant();
    for (long seed = 1; seed <= 100; seed++) {
      Ran ran = run("--seed", Long.toString(seed), "--trace");
      if (ran.code() == 1) {
        List<String> trace = ran.out().lines().filter(line -> line.contains("  *    ")).toList();
        assertThat(trace.get(trace.size() - 1)).contains("n2");
        return;
      }
    }
    throw new AssertionError("no seed failed");
  }

  @Test
  void runsGoOverRocksDbWhenAsked() throws IOException {
    String text = PlanText.write(PlantedUniverse.plan(1));
    Path plan = Files.writeString(directory.resolve("some.plan"), text);

    assertThat(run("--runs", "20", "--threads", "1").code()).isZero();
    assertThat(rocksRuns).isZero();
    assertThat(run("--runs", "20", "--threads", "1", "--rocks").code()).isZero();
    assertThat(rocksRuns).isEqualTo(20);
    assertThat(run("--seed", "4", "--rocks").code()).isZero();
    assertThat(rocksRuns).isEqualTo(21);
    assertThat(run("--plan", plan.toString(), "--rocks").code()).isZero();
    assertThat(rocksRuns).isEqualTo(22);
  }

  @Test
  void aFailureOverRocksDbIsShrunkAndReplayedOverRocksDb() throws IOException {
    plant();

    Ran ran = run("--runs", "100", "--threads", "1", "--rocks");

    String seed = ran.out().replaceAll("(?s).*FAILED seed=(\\d+) .*", "$1");
    String relative = "target/sim/seed-" + seed + ".plan";
    String replay = "./kvorum sim --plan " + relative + " --rocks --trace";
    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.lastLines(2))
        .containsExactly("./kvorum sim --seed " + seed + " --rocks --trace", replay);
    Path plan = directory.resolve(relative);
    assertThat(Files.readString(plan)).startsWith("# Replay: " + replay + "\n");
    // The failing ones, those that shrunk, and the one that was drawn.
    assertThat(rocksRuns).isGreaterThan(Integer.parseInt(seed) + 2);

    assertThat(run("--plan", plan.toString(), "--rocks").lastLines(1))
        .containsExactly("./kvorum sim --plan " + plan + " --rocks --trace");
    assertThat(run("--seed", seed, "--rocks").lastLines(2)).isEqualTo(ran.lastLines(2));
  }

  @Test
  void wrongUsageSaysWhatIsAllowed() throws IOException {
    assertUsage("one of --runs, --minutes, --seed, --plan");
    assertUsage("one of --runs, --minutes, --seed, --plan", "--runs", "1", "--seed", "1");
    assertUsage("--runs wants a number above 0, not 0", "--runs", "0");
    assertUsage("--minutes wants a number above 0, not -1", "--minutes", "-1");
    assertUsage("--threads wants a number above 0, not 0", "--runs", "1", "--threads", "0");
    assertUsage("--threads wants a number up to 1024", "--runs", "1", "--threads", "1025");
    assertUsage("--minutes wants a number up to 525600", "--minutes", "525601");
    assertUsage("--runs wants a number up to 1000000,", "--zoo", "--runs", "9999999999");
    assertUsage("--threads wants a number up to 1024", "--zoo", "--threads", "1025");
    assertUsage("'x' is not a long", "--seed", "x");
    assertUsage("Unknown option: '--speed'", "--speed");
    assertUsage("--trace and --html go with --seed or --plan", "--runs", "1", "--trace");
    assertUsage("--from and --threads go with", "--seed", "1", "--from", "1");
    assertUsage("--rocks goes with --runs, --minutes, --seed or --plan", "--zoo", "--rocks");
    assertUsage("one of --runs, --minutes, --seed, --plan", "--rocks");
    assertUsage("cannot read the plan in", "--plan", directory.resolve("none").toString());
    Path wrong = Files.writeString(directory.resolve("wrong.plan"), "what\n");
    assertUsage("line 1: a plan begins with", "--plan", wrong.toString());
    String text = PlanText.write(PlantedUniverse.plan(1)) + "fault 7 Kill node=n8\n";
    Path mutated = Files.writeString(directory.resolve("mutated.plan"), text);
    assertUsage("line 24: there is no node n8; there are n1 to n3", "--plan", mutated.toString());
  }

  @Test
  void aPlanOfWhichNoWorldCanBeMadeBreaksNoPromise() throws IOException {
    Path plan =
        Files.writeString(directory.resolve("some.plan"), PlanText.write(PlantedUniverse.plan(1)));
    universe =
        (some, watching, keepTrace) -> {
          throw new ImpossiblePlanException(new IndexOutOfBoundsException("fromIndex"));
        };
    assertUsage("cannot be run: no world can be made of the plan", "--plan", plan.toString());
    assertThat(run("--seed", "1").code()).as("drawn: a bug of ours").isEqualTo(1);
  }

  @Test
  void aDiagramThatCannotBeWrittenIsNoBrokenPromise() {
    assertUsage("not the directory \"\"", "--seed", "4", "--html", "");
    assertUsage("not the directory", "--seed", "4", "--html", directory.toString());
    String nowhere = directory.resolve("none/run.html").toString();
    assertUsage("in a directory that exists", "--seed", "4", "--html", nowhere);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aRunWhoseDiagramDoesNotFitOnTheDiskIsToldAllTheSame() {
    Ran kept = run("--seed", "4", "--html", "/dev/full");
    assertThat(kept.code()).isEqualTo(2);
    assertThat(kept.out()).isEqualTo("sim: OK runs=1 events=20 violations=0 seconds=0\n");
    assertThat(kept.err()).startsWith("sim: cannot write the diagram to /dev/full: ");
    assertThat(kept.err().lines()).hasSize(1);

    plant();
    String seed = run("--runs", "100").out().replaceAll("(?s).*FAILED seed=(\\d+) .*", "$1");
    Ran broken = run("--seed", seed, "--html", "/dev/full");
    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.out()).contains("FAILED seed=" + seed);
    assertThat(broken.err()).contains("sim: cannot write the diagram to /dev/full: ");
  }

  private void assertUsage(String message, String... arguments) {
    Ran ran = run(arguments);
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).startsWith("sim: ").contains(message, "Try: ./kvorum sim --help");
    assertThat(ran.out()).isEmpty();
  }

  @Test
  void helpNamesEveryOption() {
    Ran ran = run("--help");

    assertThat(ran.code()).isZero();
    assertThat(ran.out())
        .contains("--runs", "--minutes", "--from", "--seed", "--plan", "--trace", "--html")
        .contains("--threads", "--rocks", "Exit codes:");
  }
}
