package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The marks, and that each is left later than it was reached. */
class SpaceConfigTest {
  /** Reserve 10, critical 40, low 100: so 70 leaves critical, and 125 leaves low. */
  private static final SpaceConfig CONFIG = new SpaceConfig(10, 100, 40);

  @ParameterizedTest
  @CsvSource({
    "OK, 100, OK",
    "OK, 99, LOW",
    "OK, 39, CRITICAL",
    "LOW, 40, LOW",
    "LOW, 39, CRITICAL",
    "LOW, 124, LOW",
    "LOW, 125, OK",
    "CRITICAL, 0, CRITICAL",
    "CRITICAL, 69, CRITICAL",
    "CRITICAL, 70, LOW",
    "CRITICAL, 124, LOW",
    "CRITICAL, 125, OK"
  })
  void nextState(SpaceState now, long usableBytes, SpaceState next) {
    assertThat(CONFIG.next(now, usableBytes)).isEqualTo(next);
  }

  /** Else giving up the reserve would bring it back, and so for ever. */
  @Test
  void reserveThatIsGivenUpDoesNotLeaveTheStateThatItWasGivenUpIn() {
    SpaceConfig usual = SpaceConfig.of(64 << 20);
    long usable = usual.criticalBytes() - 1;
    assertThat(usual.next(SpaceState.CRITICAL, usable + usual.reserveBytes()))
        .isEqualTo(SpaceState.CRITICAL);
    assertThat(usual).isEqualTo(new SpaceConfig(16 << 20, 192 << 20, 64 << 20));
  }

  @ParameterizedTest
  @CsvSource({
    "31, 100, 40, too large for a low mark of 100: at most 30",
    "1, 0, 0, never given up where the low mark is 0",
    "0, 100, 100, below the low one",
    "0, 100, 0, is above 0",
    "-1, 100, 40, at least 0"
  })
  void whatMakesNoSenseIsRefused(long reserve, long low, long critical, String why) {
    assertThatThrownBy(() -> new SpaceConfig(reserve, low, critical))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
