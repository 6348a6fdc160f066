package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HistoryTest {
  private final History<String, Integer> history = new History<>();

  @Test
  void operationsStandInOrderOfCallAndKeepWhatIsKnown() {
    long late = history.call("b", "second", 20);
    long early = history.call("a", "first", 10);
    history.returned(early, 7, 30);
    assertThat(history.operations())
        .containsExactly(
            new Operation<>(early, "a", "first", 7, 10, 30),
            new Operation<>(late, "b", "second", null, 20, Operation.NEVER));
    history.unknown(late);
    assertThat(history.operations().get(1).isUnknown()).isTrue();
  }

  @Test
  void whatDidNotHappenLeavesNoTrace() {
    history.didNotHappen(history.call("a", "never", 10));
    assertThat(history.operations()).isEmpty();
  }

  @Test
  void aCallEndsOnceAndNotBeforeItBegan() {
    long id = history.call("a", "call", 10);
    assertThatThrownBy(() -> history.returned(id, 1, 9))
        .isInstanceOf(IllegalArgumentException.class);
    history.returned(id, 1, 10);
    assertThatThrownBy(() -> history.returned(id, 1, 11))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> history.didNotHappen(id + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
