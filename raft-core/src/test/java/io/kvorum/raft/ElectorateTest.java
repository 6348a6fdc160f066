package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.Quorum.Outcome;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * All joint pairs of up to seven nodes, against counts too simple to be wrong (FAULTS F023, F096).
 */
class ElectorateTest {
  private static final int NODES = 7;

  private static NavigableSet<NodeId> nodes(int bits) {
    TreeSet<NodeId> set = new TreeSet<>();
    for (int i = 0; i < NODES; i++) {
      if ((bits & (1 << i)) != 0) {
        set.add(new NodeId("n" + i));
      }
    }
    return set;
  }

  private static Electorate electorate(int voters, int outgoing) {
    // All others learn: they must never count.
    int learners = ~(voters | outgoing) & ((1 << NODES) - 1);
    return new Electorate(
        new Membership(nodes(voters), nodes(outgoing), nodes(learners), new TreeMap<>()));
  }

  private static boolean isMajority(int voters, int agreeing) {
    return voters == 0 || 2 * Integer.bitCount(voters & agreeing) > Integer.bitCount(voters);
  }

  private static int place(NodeId node) {
    return node.name().charAt(1) - '0';
  }

  /** Whoever has reached 1 is the set that agrees; every set of the seven is tried. */
  @Test
  void bothMajoritiesDecideAndNobodyElse() {
    for (int voters = 1; voters < 1 << NODES; voters++) {
      for (int outgoing = 0; outgoing < 1 << NODES; outgoing++) {
        Electorate electorate = electorate(voters, outgoing);
        for (int agreeing = 0; agreeing < 1 << NODES; agreeing++) {
          decidesAsBothMajoritiesDo(electorate, voters, outgoing, agreeing);
        }
      }
    }
  }

  private static void decidesAsBothMajoritiesDo(
      Electorate electorate, int voters, int outgoing, int agreeing) {
    long reached = electorate.reached(node -> (agreeing >> place(node)) & 1);
    boolean expected = isMajority(voters, agreeing) && isMajority(outgoing, agreeing);
    if ((reached == 1) != expected) {
      throw new AssertionError(voters + " " + outgoing + " " + agreeing + ": " + reached);
    }
  }

  /**
   * A number is reached exactly when it is with everything below cut off to 0 and the rest to 1.
   */
  @Test
  void largestNumberIsTheLastThatBothMajoritiesReached() {
    for (int voters = 1; voters < 1 << 4; voters++) {
      for (int outgoing = 0; outgoing < 1 << 4; outgoing++) {
        Electorate electorate = electorate(voters, outgoing);
        for (int vector = 0; vector < 256; vector++) {
          int numbers = vector;
          assertThat(electorate.reached(node -> (numbers >> (2 * place(node))) & 3))
              .isEqualTo(lastReached(voters, outgoing, numbers));
        }
      }
    }
  }

  /** Of the numbers 1 to 3: two bits for each of four nodes say which of them it has reached. */
  private static int lastReached(int voters, int outgoing, int numbers) {
    int best = 0;
    for (int number = 1; number < 4; number++) {
      int agreeing = 0;
      for (int i = 0; i < 4; i++) {
        agreeing |= ((numbers >> (2 * i)) & 3) >= number ? 1 << i : 0;
      }
      best = isMajority(voters, agreeing) && isMajority(outgoing, agreeing) ? number : best;
    }
    return best;
  }

  @Test
  void voteIsLostWhenOneMajorityIsOutOfReach() {
    for (int voters = 1; voters < 1 << 4; voters++) {
      for (int outgoing = 0; outgoing < 1 << 4; outgoing++) {
        Electorate electorate = electorate(voters, outgoing);
        for (int granted = 0; granted < 1 << 4; granted++) {
          isWonOpenOrLost(electorate, voters, outgoing, granted);
        }
      }
    }
  }

  private static void isWonOpenOrLost(
      Electorate electorate, int voters, int outgoing, int granted) {
    for (int refused = 0; refused < 1 << 4; refused++) {
      if ((granted & refused) != 0) {
        continue;
      }
      boolean won = isMajority(voters, granted) && isMajority(outgoing, granted);
      boolean canWin = isMajority(voters, ~refused) && isMajority(outgoing, ~refused);
      Outcome expected = won ? Outcome.WON : canWin ? Outcome.OPEN : Outcome.LOST;
      Set<NodeId> yes = new HashSet<>(nodes(granted));
      assertThat(electorate.outcome(yes, nodes(refused))).isEqualTo(expected);
    }
  }

  /** FAULTS F023: a shortcut for a single voter must look at both halves. */
  @Test
  void onlyASoleVoterDecidesAlone() {
    assertThat(electorate(1, 0).isOnly(new NodeId("n0"))).isTrue();
    assertThat(electorate(1, 1).isOnly(new NodeId("n0"))).isTrue();
    assertThat(electorate(1, 3).isOnly(new NodeId("n0"))).isFalse();
    assertThat(electorate(1, 2).isOnly(new NodeId("n0"))).isFalse();
    assertThat(electorate(2, 0).isOnly(new NodeId("n0"))).isFalse();
  }

  @Test
  void nobodyDecidesNothing() {
    Electorate nobody = new Electorate(Membership.EMPTY);
    assertThatThrownBy(() -> nobody.reached(node -> 1)).isInstanceOf(InvariantViolation.class);
    assertThatThrownBy(() -> nobody.outcome(Set.of(), Set.of()))
        .isInstanceOf(InvariantViolation.class);
  }
}
