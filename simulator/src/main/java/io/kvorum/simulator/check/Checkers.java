package io.kvorum.simulator.check;

import java.util.List;

/** What every run is watched for. */
public final class Checkers {
  private Checkers() {}

  /** A fresh set, for one run. */
  public static List<Checker> all() {
    return List.of(
        new ElectionSafety(),
        new OneVotePerTerm(),
        new LogMatching(),
        new LeaderAppendOnly(),
        new LeaderCompleteness(),
        new StateMachineSafety(),
        new CommittedNeverChanges(),
        new MonotonicPositions(),
        new AckedIsDurable(),
        new EqualStateHash(),
        new EveryCallEndsOnce(),
        new SessionMonotonic(),
        new BoundedStaleness(),
        new WatchGuarantees(),
        new Linearizability());
  }
}
