package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.bench.report.JsonReport;
import io.kvorum.bench.report.TableText;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is told of a figure. */
class FigureTest {
  /** 2,000 records in 100 batches, in two seconds. */
  private final Figure figure =
      new Figure("sync", 16, 2_000, 100, 2_000_000_000, 1_500_400, 12_000_600);

  @Test
  void theLineForScriptsHasWholeNumbersForEachSecond() {
    assertThat(figure.line())
        .isEqualTo("limit name=sync outstanding=16 ops=1000 p50_us=1500 p99_us=12001");
  }

  @Test
  void theTableHasAColumnForEachNumber() {
    assertThat(TableText.aligned(LimitsRun.table(List.of(figure))))
        .containsExactly(
            "  limit  outstanding  ops/s  batches/s   p50 µs    p99 µs",
            "   sync           16  1,000         50  1,500.4  12,000.6");
  }

  @Test
  void theJsonHasWhatWasCountedAndTheRates() {
    assertThat(JsonReport.text(Map.of("limits", List.of(figure.fields()))))
        .contains("\"operations\" : 2000", "\"nanos\" : 2000000000")
        .contains("\"batches_per_second\" : 50.0", "\"p50_micros\" : 1500.4");
  }
}
