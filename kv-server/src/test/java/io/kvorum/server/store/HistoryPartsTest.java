package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HistoryPartsTest {
  private final HistoryParts parts = new HistoryParts(1_000);

  private static EventPlaces places(int from, int to) {
    EventPlaces places = new EventPlaces();
    for (int i = from; i < to; i++) {
      places.add(i, 0);
    }
    return places;
  }

  private List<String> remove(EventPlaces places) {
    List<String> ranges = new ArrayList<>();
    for (RowRange range : parts.remove(places)) {
      ranges.add(RevRow.revision(range.first()) + "-" + RevRow.revision(range.last()));
    }
    return ranges;
  }

  @Test
  void wherePartsFollowEachOtherTheyAreOneRange() {
    parts.walked(places(1, 5_001));
    assertThat(remove(places(1, 2_501))).containsExactly("1-2000");
    assertThat(remove(places(2_501, 4_001))).containsExactly("2001-4000");
    assertThat(remove(places(4_001, 5_001))).containsExactly("4001-5000");
    assertThat(remove(places(1, 5_001))).isEmpty();
  }

  @Test
  void aRowThatStaysKeepsItsPart() {
    parts.walked(places(1, 3_001));
    EventPlaces most = places(1, 1_500);
    most.addAll(places(1_501, 3_001));
    assertThat(remove(most)).containsExactly("1-1000", "2001-3000");
    assertThat(remove(places(1_500, 1_501))).containsExactly("1001-2000");
  }

  /** As many go as there are, but others: some were gone before. */
  @Test
  void whatWasNotThereIsNotTakenForWhatIs() {
    EventPlaces there = new EventPlaces();
    there.add(5, 0);
    there.add(8, 0);
    parts.walked(there);
    assertThat(remove(places(6, 8))).isEmpty();
    assertThat(remove(there)).as("a sum that is wrong stays wrong").isEmpty();
  }

  @Test
  void whatIsWalkedAgainCountsOnce() {
    parts.walked(places(1, 501));
    parts.walked(places(400, 801));
    assertThat(parts.walkedTo()).isEqualTo(800L << 16);
    assertThat(remove(places(1, 801))).containsExactly("1-800");
    parts.walked(places(801, 901));
    assertThat(remove(places(801, 901))).containsExactly("801-900");
  }

  /** Whatever goes in whatever order: no range ever holds a row that is still there. */
  @Test
  void noRangeHoldsWhatIsStillThere() {
    for (long seed = 0; seed < 200; seed++) {
      new RandomWalk(seed).run();
    }
  }

  private static final class RandomWalk {
    private final long seed;
    private final SplittableRandom random;
    private final HistoryParts some = new HistoryParts(100);
    private final NavigableSet<Integer> left = new TreeSet<>();
    private int walked = 1;

    RandomWalk(long seed) {
      this.seed = seed;
      random = new SplittableRandom(seed);
    }

    void run() {
      for (int step = 0; step < 20; step++) {
        walk();
        for (RowRange range : some.remove(someGo())) {
          int first = (int) RevRow.revision(range.first());
          int last = (int) RevRow.revision(range.last());
          assertThat(left.subSet(first, true, last, true)).as("seed %d", seed).isEmpty();
        }
      }
    }

    private void walk() {
      EventPlaces more = new EventPlaces();
      for (int i = random.nextInt(300); i > 0; i--) {
        walked += 1 + random.nextInt(3);
        more.add(walked, 0);
        left.add(walked);
      }
      some.walked(more);
    }

    /** Of a range all or some, and now and then what is not there. */
    private EventPlaces someGo() {
      EventPlaces gone = new EventPlaces();
      int from = random.nextInt(walked + 1);
      int to = from + random.nextInt(walked + 2 - from);
      boolean sparse = random.nextInt(4) == 0;
      for (int revision = from; revision < to; revision++) {
        boolean isThere = left.contains(revision) || random.nextInt(50) == 0;
        if (isThere && (!sparse || random.nextBoolean())) {
          gone.add(revision, 0);
          left.remove(revision);
        }
      }
      return gone;
    }
  }
}
