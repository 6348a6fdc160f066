package io.kvorum.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.simulator.check.Checkers;
import io.kvorum.simulator.plan.Plans;
import io.kvorum.simulator.plan.SimPlan;
import io.kvorum.simulator.run.KeptSeeds;
import io.kvorum.simulator.run.Universe;
import io.kvorum.simulator.shrink.PlanText;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Of the simulator as a whole: a fixed set of seeds, the same for everybody, and the same run in
 * another JVM. Fresh seeds are for {@code ./kvorum sim}.
 */
@ExtendWith(QuietNodes.class)
class SimulatorTest {
  /** So many take half a minute. */
  private static final int SEEDS = 100;

  @Test
  void seedsThatOnceFailedAndTheFirstOnesKeepAllPromises() {
    LongStream kept = KeptSeeds.all().stream().mapToLong(Long::longValue);
    LongStream.concat(kept, LongStream.range(0, SEEDS)).forEach(SimulatorTest::keepsAllPromises);
  }

  private static void keepsAllPromises(long seed) {
    Universe universe = Simulation::run;
    SimResult result = universe.runWhatever(Plans.draw(seed), Checkers.all(), false);
    assertThat(result.violation()).as("./kvorum sim --seed %d --trace", seed).isNull();
  }

  @Test
  void aPlanReadFromItsTextRunsTheSame() {
    SimPlan plan = Plans.draw(12);

    assertThat(hash(PlanText.read(PlanText.write(plan)))).isEqualTo(hash(plan));
  }

  @Test
  void theSameSeedHasTheSameTraceInAnotherJvm() throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Another heap, collector and compiler; other identity hashes.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                classPath(),
                OtherJvm.class.getName()));
    long[] seeds = {3, 4};
    Arrays.stream(seeds).forEach(seed -> command.add(Long.toString(seed)));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();

    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(child.waitFor()).isZero();
    StringBuilder expected = new StringBuilder();
    for (long seed : seeds) {
      expected.append(OtherJvm.line(seed)).append('\n');
    }
    assertThat(printed).isEqualTo(expected.toString());
  }

  /** Without a binding for logging: its output would mix with ours. */
  private static String classPath() {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("logback")) {
        entries.add(entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static long hash(SimPlan plan) {
    return Simulation.run(plan, List.of(), false).traceHash();
  }

  /** What the other JVM runs. */
  static final class OtherJvm {
    private OtherJvm() {}

    static String line(long seed) {
      return seed + " " + Long.toHexString(hash(Plans.draw(seed)));
    }

    public static void main(String[] seeds) {
      for (String seed : seeds) {
        System.out.println(line(Long.parseLong(seed)));
      }
    }
  }
}
