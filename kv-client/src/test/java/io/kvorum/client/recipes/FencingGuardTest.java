package io.kvorum.client.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FencingGuardTest {
  @Test
  void letsInTheSameAndNewerTokensAndNoOlderOnes() {
    FencingGuard guard = new FencingGuard();
    List<Long> done = new ArrayList<>();
    for (long token : new long[] {3, 3, 7}) {
      guard.run(token, () -> done.add(token));
    }
    assertThatThrownBy(() -> guard.run(6, () -> done.add(6L)))
        .isInstanceOfSatisfying(
            FencingGuard.StaleTokenException.class,
            stale -> {
              assertThat(stale.token()).isEqualTo(6);
              assertThat(stale.highest()).isEqualTo(7);
            });
    assertThat(done).containsExactly(3L, 3L, 7L);
    assertThat(guard.call(8, () -> "x")).isEqualTo("x");
    assertThat(guard.highest()).isEqualTo(8);
  }

  @Test
  void goesOnWhereTheLastOneStopped() {
    List<Long> kept = new ArrayList<>();
    FencingGuard first = new FencingGuard(0, kept::add);
    first.check(5);
    first.check(5);
    assertThat(kept).containsExactly(5L);
    FencingGuard second = new FencingGuard(kept.get(0), kept::add);
    assertThatThrownBy(() -> second.check(4)).isInstanceOf(FencingGuard.StaleTokenException.class);
    second.check(5);
    assertThatThrownBy(() -> new FencingGuard(-1, kept::add))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** What is not written down has not happened: nothing is done under it. */
  @Test
  void refusesATokenThatCannotBeKept() {
    List<String> done = new ArrayList<>();
    FencingGuard guard =
        new FencingGuard(
            1,
            token -> {
              throw new IllegalStateException("the disk is full");
            });
    assertThatThrownBy(() -> guard.run(2, () -> done.add("two")))
        .isInstanceOf(IllegalStateException.class);
    assertThat(done).isEmpty();
    assertThat(guard.highest()).isEqualTo(1);
    guard.check(1);
  }
}
