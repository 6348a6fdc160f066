package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;

import org.junit.jupiter.api.Test;

/** Of {@link EqualStateHash}. */
class EqualStateHashTest {
  @Test
  void equalStatesAreFine() {
    new Events()
        .hashed(N1, 4, 1)
        .hashed(N2, 4, 1)
        .hashed(N2, 5, 2)
        .areFineFor(new EqualStateHash());
  }

  @Test
  void differentOnesAreNot() {
    new Events()
        .hashed(N1, 4, 1)
        .hashed(N1, 5, 2)
        .hashed(N2, 5, 3)
        .endBadlyFor(new EqualStateHash(), "index 5", "n1", "n2");
  }
}
