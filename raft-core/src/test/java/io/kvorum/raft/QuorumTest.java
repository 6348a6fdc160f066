package io.kvorum.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.raft.Quorum.Outcome;
import org.junit.jupiter.api.Test;

/** All small cases against a count that is too simple to be wrong (FAULTS F023). */
class QuorumTest {
  private static final int VOTERS_MAX = 7;
  private static final int VALUES = 4;

  @Test
  void whatAMajorityReachedEqualsTheCount() {
    for (int voters = 1; voters <= VOTERS_MAX; voters++) {
      int vectors = (int) Math.pow(VALUES, voters);
      for (int vector = 0; vector < vectors; vector++) {
        long[] reached = digits(vector, voters);
        assertThat(Quorum.reached(reached.clone()))
            .as("voters at %s", reached)
            .isEqualTo(countReached(reached));
      }
    }
  }

  /** The largest value that more than half of them have reached. */
  private static long countReached(long[] reached) {
    long best = 0;
    for (long value = 0; value < VALUES; value++) {
      int count = 0;
      for (long each : reached) {
        count += each >= value ? 1 : 0;
      }
      if (2 * count > reached.length) {
        best = value;
      }
    }
    return best;
  }

  private static long[] digits(int vector, int voters) {
    long[] digits = new long[voters];
    for (int i = 0; i < voters; i++) {
      digits[i] = vector % VALUES;
      vector /= VALUES;
    }
    return digits;
  }

  @Test
  void voteIsWonByMoreThanHalfAndLostWhenThatIsOutOfReach() {
    for (int voters = 1; voters <= VOTERS_MAX; voters++) {
      for (int granted = 0; granted <= voters; granted++) {
        for (int refused = 0; granted + refused <= voters; refused++) {
          boolean won = 2 * granted > voters;
          boolean canWin = 2 * (voters - refused) > voters;
          Outcome expected = won ? Outcome.WON : canWin ? Outcome.OPEN : Outcome.LOST;
          assertThat(Quorum.outcome(voters, granted, refused))
              .as("%d voters, %d granted, %d refused", voters, granted, refused)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void majorityAgreesWithTheMembership() {
    for (int voters = 1; voters <= VOTERS_MAX; voters++) {
      TestCluster cluster = new TestCluster(voters, 2, config -> config);
      assertThat(cluster.membership().majority()).isEqualTo(Quorum.majority(voters));
      assertThat(2 * Quorum.majority(voters)).isGreaterThan(voters);
      assertThat(2 * (Quorum.majority(voters) - 1)).isLessThanOrEqualTo(voters);
    }
  }
}
