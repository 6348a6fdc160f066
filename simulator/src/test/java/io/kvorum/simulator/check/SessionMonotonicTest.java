package io.kvorum.simulator.check;

import org.junit.jupiter.api.Test;

/** Of {@link SessionMonotonic}. */
class SessionMonotonicTest {
  @Test
  void aRevisionThatRisesWithTheWritesIsFine() {
    new Events()
        .put(1, 1, 5)
        .got(1, 2, 5)
        .got(2, 3, 4)
        .put(1, 4, 6)
        .areFineFor(new SessionMonotonic());
  }

  @Test
  void aReadOfThePastIsNot() {
    new Events()
        .put(1, 1, 5)
        .got(1, 2, 4)
        .endBadlyFor(new SessionMonotonic(), "client 1", "revision 5", "4 by a read");
  }

  @Test
  void norIsAWriteWithARevisionOfAnother() {
    new Events()
        .put(1, 1, 5)
        .put(1, 2, 5)
        .endBadlyFor(new SessionMonotonic(), "client 1", "revision 5", "5 by a write");
  }
}
