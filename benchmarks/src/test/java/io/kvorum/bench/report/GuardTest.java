package io.kvorum.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a build is too slow, from rates that are known. */
class GuardTest {
  private final Guard guard = new Guard(0.9);

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "8400, 0.84",
    "8999, 0.899",
    "8996, 0.899",
    "8001, 0.8",
  })
  void aRateBelowTheLeastFailsAndIsNeverRoundedUp(long operations, String told) {
    List<String> failures = guard.failures(ratios(operations), List.of());

    assertThat(failures)
        .containsExactly(
            "put at 1024 clients: " + told + " of the base's rate, at least 0.9 is allowed");
    assertThat(Guard.verdict(failures)).isEqualTo("guard: FAILED " + failures.get(0));
  }

  @ParameterizedTest
  @ValueSource(longs = {9_000, 10_000, 50_000})
  void aRateOfAtLeastTheLeastPassesWhateverTheLatencies(long operations) {
    List<String> failures = guard.failures(ratios(operations), List.of());

    assertThat(failures).isEmpty();
    assertThat(Guard.verdict(failures)).isEqualTo("guard: OK");
  }

  @Test
  void theMedianOfTheRoundsDecides() {
    List<Result> results =
        List.of(
            Fixed.result("base", 1, 1, 1_000, 1),
            Fixed.result("kvorum", 1, 1, 100, 1),
            Fixed.result("kvorum", 2, 1, 950, 1),
            Fixed.result("base", 2, 1, 1_000, 1),
            Fixed.result("base", 3, 1, 9_000, 1),
            Fixed.result("kvorum", 3, 1, 990, 1));

    assertThat(guard.failures(Ratio.of(Summary.of(results), "kvorum"), List.of())).isEmpty();
  }

  @Test
  void whatWasNotMeasuredDoesNotPass() {
    List<Result> results =
        List.of(Fixed.result("base", 1, 16, 0, 1), Fixed.result("kvorum", 1, 16, 0, 1));

    assertThat(guard.failures(Ratio.of(Summary.of(results), "kvorum"), List.of()))
        .containsExactly("put at 16 clients: nothing of the base's rate, at least 0.9 is allowed");
  }

  @Test
  void whatTheRunFoundWrongFailsAFastBuildToo() {
    List<String> failures = guard.failures(ratios(50_000), List.of("kvorum in round 1: a\nb"));

    assertThat(Guard.verdict(failures)).isEqualTo("guard: FAILED kvorum in round 1: a b");
  }

  @Test
  void theLineForScripts() {
    assertThat(ratios(8_400).stream().map(Guard::line))
        .containsExactly("guard workload=put clients=1024 ops=0.840 p50=2 p99=2 cpu=1");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1.01, Double.NaN, Double.POSITIVE_INFINITY})
  void theLeastIsAPartOfTheBase(double least) {
    assertThatThrownBy(() -> new Guard(least))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--least is above 0 and at most 1, not " + least);
    assertThat(new Guard(1).least()).isEqualTo(1);
  }

  /**
   * One round with 1024 clients, in which the base made 10,000 operations, each in half the time.
   */
  private static List<Ratio> ratios(long operations) {
    List<Result> results =
        List.of(
            Fixed.result("base", 1, 1024, 10_000, 1_000),
            Fixed.result("kvorum", 1, 1024, operations, 2_000));
    return Ratio.of(Summary.of(results), "kvorum");
  }
}
