package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.N2;
import static io.kvorum.simulator.check.Events.N3;

import org.junit.jupiter.api.Test;

/** Of {@link ElectionSafety}. */
class ElectionSafetyTest {
  @Test
  void oneLeaderInEachTermIsFine() {
    new Events()
        .leads(N1, 1)
        .heartbeat(N1, N2, 1)
        .follows(N1, 2)
        .leads(N2, 2)
        .heartbeat(N2, N1, 2)
        .heartbeat(N1, N3, 1)
        .areFineFor(new ElectionSafety());
  }

  @Test
  void twoThatTakeTheLeadInOneTermAreNot() {
    new Events().leads(N1, 7).leads(N2, 7).endBadlyFor(new ElectionSafety(), "n1", "n2", "term 7");
  }

  @Test
  void norIsOneThatSendsEntriesInTheTermOfAnother() {
    new Events()
        .leads(N1, 7)
        .leads(N3, 8)
        .heartbeat(N2, N3, 7)
        .endBadlyFor(new ElectionSafety(), "n1", "n2", "term 7");
  }
}
