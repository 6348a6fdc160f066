package io.kvorum.raft;

/** The arithmetic of majorities. Knows nothing but numbers, so it can be tested completely. */
final class Quorum {
  /** How a vote stands. */
  enum Outcome {
    OPEN,
    WON,
    LOST
  }

  private Quorum() {}

  /** The smallest number of voters of which any two sets share a member. */
  static int majority(int voters) {
    return voters / 2 + 1;
  }

  /**
   * The largest number that a majority has reached.
   *
   * @param reached one number for each voter, at least one; sorted by this call
   */
  static long reached(long[] reached) {
    // Groups are small: this beats a general sort.
    for (int i = 1; i < reached.length; i++) {
      long value = reached[i];
      int at = i;
      while (at > 0 && reached[at - 1] > value) {
        reached[at] = reached[at - 1];
        at--;
      }
      reached[at] = value;
    }
    return reached[reached.length - majority(reached.length)];
  }

  /** Lost means that the voters who have not refused are no majority any more. */
  static Outcome outcome(int voters, int granted, int refused) {
    if (granted >= majority(voters)) {
      return Outcome.WON;
    }
    return voters - refused < majority(voters) ? Outcome.LOST : Outcome.OPEN;
  }
}
