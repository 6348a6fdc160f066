package io.kvorum.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** When a batch counts. */
class QuorumTest {
  private final Quorum quorum = new Quorum(3);

  @Test
  void anyTwoOfThreeAreEnough() {
    quorum.begin(5);
    quorum.begin(6);

    assertThat(quorum.synced(1, 1)).isEmpty();
    assertThat(quorum.synced(2, 1)).containsExactly(5);
    assertThat(quorum.synced(2, 2)).isEmpty();
    assertThat(quorum.synced(0, 2)).containsExactly(6);
  }

  @Test
  void theThirdTellsNothingNew() {
    quorum.begin(5);
    quorum.synced(0, 1);
    quorum.synced(1, 1);

    assertThat(quorum.synced(2, 1)).isEmpty();
  }

  @Test
  void oneThatComesLateMakesAMajorityOfSeveralAtOnce() {
    quorum.begin(1);
    quorum.begin(2);
    quorum.begin(3);
    quorum.synced(0, 3);

    assertThat(quorum.synced(1, 2)).containsExactly(1, 2);
    assertThat(quorum.synced(2, 3)).containsExactly(3);
  }

  @Test
  void aMajorityOfOneIsItself() {
    Quorum alone = new Quorum(1);
    alone.begin(7);

    assertThat(alone.synced(0, 1)).containsExactly(7);
  }

  @Test
  void nobodyHasWhatWasNotSentNorSaysItTwice() {
    quorum.begin(1);

    assertThatThrownBy(() -> quorum.synced(1, 2)).isInstanceOf(IllegalStateException.class);
    quorum.synced(1, 1);
    assertThatThrownBy(() -> quorum.synced(1, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("node 1 says batch 1 after 1 of 1");
  }
}
