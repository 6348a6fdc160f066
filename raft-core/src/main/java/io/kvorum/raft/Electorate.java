package io.kvorum.raft;

import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Who decides under one membership: a majority of the voters, and while the membership is joint a
 * majority of the outgoing ones as well (§6). Every decision of the core is made here: elections,
 * commits, rounds of reads, and whether a leader is still heard.
 */
final class Electorate {
  /** One set of voters, and the array that their numbers are sorted in. */
  private static final class Half {
    private final List<NodeId> voters;
    private final long[] scratch;

    Half(SortedSet<NodeId> voters) {
      this.voters = List.copyOf(voters);
      scratch = new long[voters.size()];
    }

    long reached(ToLongFunction<NodeId> number) {
      for (int i = 0; i < scratch.length; i++) {
        scratch[i] = number.applyAsLong(voters.get(i));
      }
      return Quorum.reached(scratch);
    }

    Quorum.Outcome outcome(Set<NodeId> granted, Set<NodeId> refused) {
      int grants = 0;
      int refusals = 0;
      for (NodeId voter : voters) {
        grants += granted.contains(voter) ? 1 : 0;
        refusals += refused.contains(voter) ? 1 : 0;
      }
      return Quorum.outcome(voters.size(), grants, refusals);
    }
  }

  private final List<NodeId> all;
  private final Half incoming;
  private final Half outgoing;

  Electorate(Membership membership) {
    TreeSet<NodeId> both = new TreeSet<>(membership.voters());
    both.addAll(membership.outgoing());
    all = List.copyOf(both);
    incoming = new Half(membership.voters());
    outgoing = new Half(membership.outgoing());
  }

  /** Everybody whose vote counts, in order of name. */
  List<NodeId> all() {
    return all;
  }

  /** Whether this node alone decides. */
  boolean isOnly(NodeId node) {
    return all.size() == 1 && all.get(0).equals(node);
  }

  /**
   * The largest number that enough voters have reached to decide. Allocates nothing.
   *
   * @param number of a voter; asked for every one
   */
  long reached(ToLongFunction<NodeId> number) {
    InvariantViolation.check(!all.isEmpty(), "a node that knows no voters decides nothing");
    long reached = incoming.reached(number);
    return outgoing.voters.isEmpty() ? reached : Math.min(reached, outgoing.reached(number));
  }

  /** How a vote stands after these answers; those of others than voters do not count. */
  Quorum.Outcome outcome(Set<NodeId> granted, Set<NodeId> refused) {
    InvariantViolation.check(!all.isEmpty(), "a node that knows no voters decides nothing");
    Quorum.Outcome outcome = incoming.outcome(granted, refused);
    if (outgoing.voters.isEmpty() || outcome == Quorum.Outcome.LOST) {
      return outcome;
    }
    Quorum.Outcome old = outgoing.outcome(granted, refused);
    return outcome == Quorum.Outcome.WON || old == Quorum.Outcome.LOST ? old : outcome;
  }
}
