package io.kvorum.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class SeedsTest {
  private static final Settings DEFAULT = new Settings(null, null);

  @TempDir Path directory;

  @Test
  void keptSeedsRunFirstThenFreshOnes() throws IOException {
    keep("# An election that never ended.\n7\n\n-3 # torn tail\n");

    assertThat(seeds(DEFAULT).fresh(5).list())
        .hasSize(7)
        .startsWith(7L, -3L)
        .doesNotHaveDuplicates();
  }

  @Test
  void freshSeedsDifferFromRunToRun() {
    Seeds seeds = seeds(DEFAULT).fresh(1);

    assertThat(seeds.list()).isNotEqualTo(seeds.list());
  }

  @Test
  void aGivenSeedRunsItselfAndLeavesTheKeptOnesOut() throws IOException {
    keep("7\n");

    assertThat(seeds(new Settings(42L, 1)).fresh(100).list()).containsExactly(42L);
    assertThat(seeds(new Settings(42L, 3)).list())
        .isEqualTo(seeds(new Settings(42L, 3)).list())
        .hasSize(3)
        .startsWith(42L);
  }

  @Test
  void theCommandLineOutranksTheTestsOwnCount() {
    assertThat(seeds(new Settings(null, 9)).fresh(2).list()).hasSize(9);
  }

  @Test
  void aFailureNamesTheSeedTheReplayAndTheCause() {
    List<Long> ran = new ArrayList<>();
    IllegalStateException broken = new IllegalStateException("two leaders");

    assertThatThrownBy(
            () ->
                seeds(new Settings(42L, 5))
                    .forEach(
                        seed -> {
                          ran.add(seed);
                          throw broken;
                        }))
        .isInstanceOf(AssertionError.class)
        .hasCause(broken)
        .hasMessageContaining("seed 42 failed: java.lang.IllegalStateException: two leaders")
        .hasMessageContaining("./kvorum test --seed 42 --only ModelTest")
        .hasMessageContaining("ModelTest.txt");
    assertThat(ran).containsExactly(42L);
  }

  @Test
  void anAssumptionThatDoesNotHoldIsNoFailure() {
    assertThatThrownBy(
            () ->
                seeds(DEFAULT)
                    .forEach(
                        seed -> {
                          throw new TestAbortedException("no strace");
                        }))
        .isInstanceOf(TestAbortedException.class);
  }

  @Test
  void noSeedAtAllIsAFailure() {
    assertThatThrownBy(() -> seeds(DEFAULT).fresh(0).forEach(seed -> {}))
        .isInstanceOf(AssertionError.class)
        .hasMessage("ModelTest has no seed to run: it would pass on nothing");
  }

  @Test
  void aKeptLineThatIsNoSeedIsAFailure() throws IOException {
    keep("7\nseven\n");

    assertThatThrownBy(() -> seeds(DEFAULT).list())
        .isInstanceOf(AssertionError.class)
        .hasMessageEndingWith("ModelTest.txt:2 is not a seed: seven");
  }

  @Test
  void seedsAreKeptBesideTheTestThatUsesThem() {
    Path resources = TestModule.of(SeedsTest.class).resources();

    assertThat(resources).isDirectory().endsWith(Path.of("testkit/src/test/resources"));
    assertThat(seedsOfThisClass()).startsWith(1L, 2L);
  }

  /** Its kept seeds are 1 and 2. Run under a given seed, they are left out as the user asked. */
  private static List<Long> seedsOfThisClass() {
    Path kept = TestModule.of(SeedsTest.class).resources().resolve("seeds");
    return Seeds.of("SeedsTest", kept, DEFAULT).fresh(1).list();
  }

  private void keep(String text) throws IOException {
    Files.writeString(directory.resolve("ModelTest.txt"), text);
  }

  private Seeds seeds(Settings settings) {
    return Seeds.of("ModelTest", directory, settings);
  }
}
