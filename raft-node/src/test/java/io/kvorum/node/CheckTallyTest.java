package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Who has said what, and what follows from it (FAULTS F148). */
class CheckTallyTest {
  private static final Membership THREE = Membership.of(ids("n1", "n2", "n3"));

  private final CheckTally tally = new CheckTally();

  private static Set<NodeId> ids(String... names) {
    Set<NodeId> ids = new TreeSet<>();
    for (String name : names) {
      ids.add(new NodeId(name));
    }
    return ids;
  }

  private static StateSum sum(long index, String hash) {
    return new StateSum(index, 1, hash);
  }

  private void said(String member, StateSum... sums) {
    tally.add(new NodeId(member), List.of(sums));
  }

  @Test
  void aMajorityOfTheVotersDecidesAndNotWhoAsks() {
    said("n1", sum(8, "bad"));
    said("n2", sum(8, "0"));
    assertThat(tally.agreed(8, THREE)).isNull();
    assertThat(tally.isDisputed(8, THREE)).isTrue();
    said("n3", sum(8, "0"));
    assertThat(tally.agreed(8, THREE)).isEqualTo(sum(8, "0"));
  }

  @Test
  void whoHasSaidNothingCountsForNobody() {
    said("n1", sum(8, "0"));
    assertThat(tally.agreed(8, THREE)).isNull();
    assertThat(tally.isDisputed(8, THREE)).isFalse();
    assertThat(tally.agreed(9, THREE)).isNull();
  }

  @Test
  void otherEntriesAndOtherFormatsAreOtherThings() {
    said("n1", sum(8, "0"));
    said("n2", sum(9, "0"));
    said("n3", new StateSum(8, 2, "0"));
    assertThat(tally.agreed(8, THREE)).isNull();
    assertThat(tally.agreed(9, THREE)).isNull();
    said("n2", sum(8, "0"));
    assertThat(tally.agreed(8, THREE)).isEqualTo(sum(8, "0"));
    assertThat(tally.isDisputed(8, THREE)).isFalse();
  }

  @Test
  void learnersAndStrangersDoNotCount() {
    Membership members =
        new Membership(new TreeSet<>(ids("n1", "n2", "n3")), new TreeSet<>(ids("n4")));
    said("n1", sum(8, "0"));
    said("n4", sum(8, "0"));
    said("n5", sum(8, "0"));
    assertThat(tally.agreed(8, members)).isNull();
    assertThat(tally.toText(8, members)).isEqualTo("n1 0, n4 0");
    said("n4", sum(8, "bad"));
    assertThat(tally.isDisputed(8, members)).isTrue();
    assertThat(tally.isDisputed(8, THREE)).isFalse();
  }

  @Test
  void whileTheVotersChangeBothMajoritiesDecide() {
    Membership joint =
        new Membership(
            new TreeSet<>(ids("n3", "n4", "n5")),
            new TreeSet<>(ids("n1", "n2", "n3")),
            new TreeSet<>(),
            new TreeMap<>());
    said("n3", sum(8, "0"));
    said("n4", sum(8, "0"));
    assertThat(tally.agreed(8, joint)).isNull();
    said("n1", sum(8, "0"));
    assertThat(tally.agreed(8, joint)).isEqualTo(sum(8, "0"));
  }

  @Test
  void onlyTheNewestChecksAreKept() {
    for (int index = 1; index <= 9; index++) {
      said("n1", sum(index, "0"));
    }
    assertThat(tally.indexes()).containsExactly(9L, 8L, 7L, 6L);
  }
}
