package io.kvorum.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Medians, and Kvorum divided by its peers. */
class RatioTest {
  @Test
  void theMedianIsTheOneInTheMiddle() {
    assertThat(Median.of(List.of(5, 1, 100), value -> value)).isEqualTo(5);
    assertThat(Median.of(List.of(1, 2, 4, 100), value -> value)).isEqualTo(3);
    assertThatThrownBy(() -> Median.of(List.<Integer>of(), value -> value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSummaryHoldsTheMediansOfItsRounds() {
    Summary summary = Summary.of(Fixed.results()).get(0);

    assertThat(summary.system()).isEqualTo("kvorum");
    assertThat(summary.rounds()).isEqualTo(3);
    assertThat(summary.operationsPerSecond()).isEqualTo(20_000);
    assertThat(summary.slowestPerSecond()).isEqualTo(10_000);
    assertThat(summary.fastestPerSecond()).isEqualTo(30_000);
    assertThat(summary.p99Nanos()).isEqualTo(4_000_000);
    assertThat(summary.cpuMicros()).isEqualTo(10);
    assertThat(summary.clientCpuMicros()).isEqualTo(5);
    assertThat(summary.writtenBytes()).isEqualTo(100);
  }

  @Test
  void theLineForScripts() {
    assertThat(lines(Fixed.results()))
        .containsExactly("ratio workload=put clients=16 peer=etcd ops=10 p50=0.25 p99=0.25 cpu=1");
  }

  @Test
  void largeRatiosHaveNoExponentAndMissingOnesAreNoNumbers() {
    List<Result> results =
        List.of(
            Fixed.result("kvorum", 1, 1, 1_234_567, 1_000),
            Fixed.result("slow", 1, 1, 1, 3_000_000),
            Fixed.result("dead", 1, 1, 0, 0));

    assertThat(lines(results))
        .containsExactly(
            "ratio workload=put clients=1 peer=slow ops=1230000 p50=0.000333 p99=0.000333 cpu=1",
            "ratio workload=put clients=1 peer=dead ops=none p50=none p99=none cpu=none");
  }

  @Test
  void onlyTheSamePointIsCompared() {
    assertThat(
            lines(
                List.of(Fixed.result("kvorum", 1, 1, 10, 10), Fixed.result("etcd", 1, 16, 10, 10))))
        .isEmpty();
  }

  private static List<String> lines(List<Result> results) {
    return Ratio.of(Summary.of(results), "kvorum").stream().map(Ratio::line).toList();
  }
}
