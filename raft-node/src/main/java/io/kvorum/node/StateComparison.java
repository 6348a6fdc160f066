package io.kvorum.node;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus.RoleName;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the states of the members compared (docs/adr/0014). A member tells its leader what it
 * remembers; a leader proposes checks, counts what it hears, its own sum like the others', and
 * proposes the verdict of a majority of the voters. Where no majority agrees it decides nothing,
 * and says so. Used on the loop.
 */
final class StateComparison<R> {
  private static final Logger LOG = LoggerFactory.getLogger(StateComparison.class);

  /** Proposes what the node itself wants to have in the log. */
  interface Proposer<R> {
    void propose(Feature feature, byte[] payload, ProposalListener<R> listener);
  }

  private final NodeId self;
  private final RaftCore core;
  private final StateChecks checks;
  private final Transport transport;
  private final Proposer<R> proposer;
  private final FeatureGate gate;
  private final int patienceTicks;
  private final CheckTally tally = new CheckTally();

  /** Checks count from here on while none is remembered. */
  private final long startIndex;

  private boolean proposes;
  private boolean isWanted;
  private int ticksSinceCheck;

  /** The newest check of which the verdict was proposed. */
  private long decidedIndex;

  private @Nullable NodeId toldLeader;
  private long toldIndex;
  private int toldTicks;
  private long disputedIndex;
  private int disputedTicks;
  private @Nullable String alarm;

  /**
   * A comparison.
   *
   * @param patienceTicks after which what was not judged is told again, and what is disputed is an
   *     alarm; also the least time between two checks that nobody has asked for
   */
  StateComparison(
      NodeId self,
      RaftCore core,
      StateChecks checks,
      Transport transport,
      Proposer<R> proposer,
      FeatureGate gate,
      int patienceTicks) {
    this.self = self;
    this.core = core;
    this.checks = checks;
    this.transport = transport;
    this.proposer = proposer;
    this.gate = gate;
    this.patienceTicks = patienceTicks;
    startIndex = core.commitIndex();
  }

  /** That members disagree, and no majority says who is right; null if they do not. */
  @Nullable String alarm() {
    return alarm;
  }

  /** Somebody needs to know soon whether the leader's state is right. */
  void checkSoon() {
    isWanted = true;
  }

  /** Time passes, for a node whose state is not known to be wrong. */
  void tick() {
    ticksSinceCheck++;
    if (core.role() == RoleName.LEADER) {
      if (core.membership().members().size() > 1) {
        tickOfLeader();
      }
    } else {
      isWanted = false;
      alarm = null;
      tally.clear();
      tellLeader();
    }
  }

  // ---- a member ----

  private void tellLeader() {
    NodeId leader = core.leader();
    List<StateSum> sums = checks.remembered();
    long newest = sums.isEmpty() ? 0 : sums.get(sums.size() - 1).index();
    toldTicks++;
    boolean isNews = newest > toldIndex || !Objects.equals(leader, toldLeader);
    if (leader == null
        || newest <= checks.judgedIndex()
        || (!isNews && toldTicks < patienceTicks)) {
      return;
    }
    toldLeader = leader;
    toldIndex = newest;
    toldTicks = 0;
    transport.send(leader, new SnapshotFrame.Sums(sums));
    transport.flush();
  }

  // ---- the leader ----

  void received(NodeId from, SnapshotFrame.Sums sums) {
    if (core.role() == RoleName.LEADER) {
      tally.add(from, sums.sums());
    }
  }

  private void tickOfLeader() {
    List<StateSum> own = checks.remembered();
    tally.add(self, own);
    if (proposes) {
      return;
    }
    // Whoever does not know them stops at a check or a verdict: they wait until all do.
    if (!gate.isOpen(Feature.STATE_CHECKS)) {
      return;
    }
    if (isWanted || isDue(own)) {
      isWanted = false;
      ticksSinceCheck = 0;
      propose(checks.check());
      return;
    }
    Membership members = core.membership();
    for (long index : tally.indexes()) {
      StateSum agreed = tally.agreed(index, members);
      if (index > checks.judgedIndex() && index > decidedIndex && agreed != null) {
        decidedIndex = index;
        propose(checks.verdict(agreed));
        break;
      }
    }
    lookForDisputes(members);
  }

  private boolean isDue(List<StateSum> own) {
    long last = own.isEmpty() ? startIndex : own.get(own.size() - 1).index();
    // However much is written, it costs little.
    return checks.everyEntries() > 0
        && core.commitIndex() - last >= checks.everyEntries()
        && ticksSinceCheck >= patienceTicks;
  }

  private void propose(byte[] command) {
    proposes = true;
    proposer.propose(Feature.STATE_CHECKS, command, new Settled<>(() -> proposes = false));
  }

  private void lookForDisputes(Membership members) {
    if (disputedIndex <= checks.judgedIndex()) {
      disputedIndex = 0;
      alarm = null;
    }
    for (long index : tally.indexes()) {
      boolean isOpen = index > checks.judgedIndex() && index > decidedIndex;
      if (isOpen && tally.isDisputed(index, members)) {
        disputed(index, members);
        return;
      }
    }
  }

  private void disputed(long index, Membership members) {
    if (index != disputedIndex) {
      disputedIndex = index;
      disputedTicks = 0;
    }
    if (++disputedTicks == patienceTicks) {
      alarm =
          "members hold different states behind entry "
              + index
              + ", and no majority of the voters says the same: "
              + tally.toText(index, members);
      LOG.warn(
          "{}. Nobody is quarantined, as nobody knows who is right. Bring back members that are"
              + " down; if there are none, compare the states, and restore the right one",
          alarm);
    }
  }

  /** Whatever becomes of it: if it is still needed, a later tick proposes it again. */
  private record Settled<R>(Runnable settled) implements ProposalListener<R> {
    @Override
    public void applied(R result) {
      settled.run();
    }

    @Override
    public void refused(Refusal why) {
      settled.run();
    }

    @Override
    public void unknown(String why) {
      settled.run();
    }
  }
}
