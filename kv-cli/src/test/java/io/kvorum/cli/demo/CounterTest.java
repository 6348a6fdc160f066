package io.kvorum.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.Bytes;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a read of a counter proves, by what was acknowledged, unknown, and certainly not done. */
class CounterTest {
  /** Value 1 acknowledged, 2 unknown, 3 not executed, 4 acknowledged, 5 unknown. */
  @ParameterizedTest
  @CsvSource({
    "4, RIGHT",
    "5, RIGHT",
    "2, RIGHT",
    "1, STALE",
    "3, STALE",
    "6, WRONG",
    "0, WRONG",
    "-1, WRONG",
    "x, WRONG",
    ", LOST"
  })
  void aReadIsJudgedByWhatWasAnswered(String found, Counter.Verdict verdict) {
    Counter counter = new Counter("k");
    counter.acknowledged(counter.next());
    counter.unknown(counter.next());
    counter.next();
    counter.acknowledged(counter.next());
    counter.unknown(counter.next());
    assertThat(counter.judge(Optional.ofNullable(found).map(Bytes::utf8))).isEqualTo(verdict);
    assertThat(counter.acknowledgements()).isEqualTo(2);
    assertThat(counter.unknowns()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"1, RIGHT", "2, WRONG", ", RIGHT"})
  void withoutAnAcknowledgementNothingIsLost(String found, Counter.Verdict verdict) {
    Counter counter = new Counter("k");
    counter.unknown(counter.next());
    counter.next();
    assertThat(counter.judge(Optional.ofNullable(found).map(Bytes::utf8))).isEqualTo(verdict);
  }
}
