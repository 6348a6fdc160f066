package io.kvorum.simulator.check;

import static io.kvorum.simulator.check.Events.N1;
import static io.kvorum.simulator.check.Events.entry;

import org.junit.jupiter.api.Test;

/** Of {@link LeaderAppendOnly}. */
class LeaderAppendOnlyTest {
  @Test
  void aLogThatGrowsIsFineAndSoIsOneThatShrinksWithTheRole() {
    new Events()
        .leads(N1, 2)
        .moved(N1, entry(4, 2), 3, 3)
        .stored(N1, entry(4, 2))
        .moved(N1, entry(4, 2), 4, 3)
        .follows(N1, 3)
        .moved(N1, entry(3, 1), 3, 3)
        .stored(N1, entry(4, 3))
        .areFineFor(new LeaderAppendOnly());
  }

  @Test
  void aLeadersLogThatShrinksIsNot() {
    new Events()
        .leads(N1, 2)
        .moved(N1, entry(4, 2), 3, 3)
        .moved(N1, entry(3, 2), 3, 3)
        .endBadlyFor(new LeaderAppendOnly(), "n1, which leads term 2", "4@2", "3@2");
  }

  @Test
  void norIsAnEntryOfItsTermThatItReplaces() {
    new Events()
        .leads(N1, 2)
        .stored(N1, entry(4, 2))
        .stored(N1, entry(4, 2, 99))
        .endBadlyFor(new LeaderAppendOnly(), "n1, which leads term 2");
  }

  @Test
  void aWriteOfTheTimeBeforeMayEndLate() {
    new Events()
        .leads(N1, 3)
        .stored(N1, entry(4, 1))
        .stored(N1, entry(4, 2), entry(5, 3))
        .areFineFor(new LeaderAppendOnly());
  }
}
