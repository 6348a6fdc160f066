package io.kvorum.simulator.check;

import java.util.List;

/** What every run is watched for. */
public final class Checkers {
  private Checkers() {}

  /** A fresh set, for one run. */
  public static List<Checker> all() {
    DurableLogs logs = new DurableLogs();
    return List.of(
        new ElectionSafety(),
        new OneVotePerTerm(),
        new PreVoteMajority(),
        new VotersHaveCaughtUp(),
        new VotersLackNothing(logs),
        new LogMatching(logs),
        new LeaderAppendOnly(),
        new LeaderCompleteness(logs),
        new StateMachineSafety(),
        new CommittedNeverChanges(logs),
        new MonotonicPositions(),
        new AckedIsDurable(logs),
        new EqualStateHash(),
        new SnapshotsAreKept(),
        new QuarantineIsKept(),
        new EveryCallEndsOnce(),
        new SessionMonotonic(),
        new BoundedStaleness(),
        new LeasesLastTheirTime(),
        new HistoryIsKept(),
        new QuotaIsExact(),
        new ExactlyOnce(),
        new WatchGuarantees(),
        new Linearizability());
  }
}
