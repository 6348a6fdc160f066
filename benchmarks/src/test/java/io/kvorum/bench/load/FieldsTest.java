package io.kvorum.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What coordinator and client process say to each other. */
class FieldsTest {
  @Test
  void aPointComesBackAsItWas() {
    Point point = new Point(Workload.MIXED, 16, 100, 2_000, List.of(3L, 4L), new Device(8, 1), -5);

    assertThat(Point.parse(Fields.parse(point.fields().toString()))).isEqualTo(point);
  }

  @Test
  void anOutcomeComesBackAsItWas() {
    Outcome outcome =
        new Outcome(1, 2, 3, 4, new Outcome.Latencies(5, 6, 7, 8), new Usage(9, 10, 11), 12, 13);

    assertThat(Outcome.parse(Fields.parse(outcome.fields().toString()))).isEqualTo(outcome);
  }

  @Test
  void whatCannotBeReadBackIsNotWritten() {
    assertThatThrownBy(() -> new Fields().with("name", "two words"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Fields.parse("noequals")).hasMessageContaining("noequals");
    assertThatThrownBy(() -> Fields.parse("a=1").text("b")).hasMessageContaining("no b in: a=1");
  }
}
