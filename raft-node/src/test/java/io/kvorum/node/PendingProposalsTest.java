package io.kvorum.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of {@link PendingProposals}: each is told of its own entry, once (FAULTS F021, F107). */
class PendingProposalsTest {
  private final PendingProposals<String> proposals = new PendingProposals<>();
  private final List<String> told = new ArrayList<>();

  /** Writes down what it is told, under its name. */
  private final class Listener implements ProposalListener<String> {
    private final String name;

    Listener(String name) {
      this.name = name;
    }

    @Override
    public void applied(String result) {
      told.add(name + " applied " + result);
    }

    @Override
    public void refused(Refusal why) {
      told.add(name + " refused");
    }

    @Override
    public void unknown(String why) {
      told.add(name + " unknown");
    }
  }

  private void proposed(String name, long index, long term) {
    proposals.add(index, term, new Listener(name));
  }

  @Test
  void eachIsToldTheResultOfItsOwnEntry() {
    proposed("a", 5, 2);
    proposed("b", 6, 2);
    proposed("c", 9, 2);

    proposals.applied(4, 1, "of nobody here");
    proposals.applied(5, 2, "x");
    proposals.applied(6, 2, "y");
    proposals.applied(7, 2, "of nobody here");
    assertThat(told).containsExactly("a applied x", "b applied y");

    proposals.applied(8, 2, "of nobody here");
    proposals.applied(9, 2, "z");
    assertThat(told).containsExactly("a applied x", "b applied y", "c applied z");
    assertThat(proposals.size()).isZero();
  }

  /** F107: a leader with ten entries is isolated, and the next leader commits others there. */
  @Test
  void theEntryOfAnotherLeaderAnswersNoneOfThoseWhoseIndexItTook() {
    List<String> unknown = new ArrayList<>();
    for (long index = 101; index <= 110; index++) {
      proposed("p" + index, index, 2);
      unknown.add("p" + index + " unknown");
    }

    for (long index = 101; index <= 110; index++) {
      proposals.applied(index, 3, "of another leader's entry");
    }

    assertThat(told).isEqualTo(unknown);
    assertThat(proposals.size()).isZero();
  }

  @Test
  void whoWasOvertakenByTheLogIsToldSoBeforeTheNext() {
    proposed("old", 5, 2);
    proposed("new", 7, 4);

    proposals.applied(7, 4, "x");

    assertThat(told).containsExactly("old unknown", "new applied x");
  }

  @Test
  void whoIsAbandonedIsNotAnsweredAgainByWhatIsAppliedLater() {
    proposed("a", 5, 2);
    proposed("b", 6, 2);

    proposals.abandon("the leadership is lost");
    proposals.applied(5, 2, "x");
    proposals.applied(6, 3, "y");

    assertThat(told).containsExactly("a unknown", "b unknown");
    assertThat(proposals.size()).isZero();
  }
}
