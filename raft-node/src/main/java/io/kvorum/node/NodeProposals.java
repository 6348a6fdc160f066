package io.kvorum.node;

import io.kvorum.raft.Proposal;
import io.kvorum.raft.RaftCore;
import io.kvorum.raft.RaftStatus.RoleName;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes commands to the core, past the gate, and remembers who waits for them. On the loop. */
final class NodeProposals<R> {
  private final RaftCore core;
  private final FeatureGate gate;
  private final Consumer<Throwable> fail;
  private final PendingProposals<R> pending = new PendingProposals<>();

  /**
   * Nobody waits yet.
   *
   * @param fail stops the node
   */
  NodeProposals(RaftCore core, FeatureGate gate, Consumer<Throwable> fail) {
    this.core = core;
    this.gate = gate;
    this.fail = fail;
  }

  /**
   * Proposes a command.
   *
   * @param feature that every member must have; null if every version knows the command
   */
  void propose(@Nullable Feature feature, byte[] payload, ProposalListener<R> listener) {
    // Only a leader's refusal would say more than that others lead.
    Refusal lack = feature == null || core.role() != RoleName.LEADER ? null : gate.lack(feature);
    if (lack != null) {
      listener.refused(lack);
      return;
    }
    Proposal proposal;
    try {
      proposal = core.propose(payload);
    } catch (Throwable bug) {
      // As in every step of the core: see RaftNode, "guarded".
      fail.accept(bug);
      listener.unknown("the node failed");
      return;
    }
    if (proposal instanceof Proposal.Accepted accepted) {
      pending.add(accepted.id().index(), accepted.id().term(), listener);
      if (feature != null) {
        gate.proposed(feature);
      }
    } else {
      listener.refused(Refusal.of(proposal));
    }
  }

  /** An entry was applied: whoever proposed it hears of it. */
  void applied(long index, long term, R result) {
    pending.applied(index, term, result);
  }

  /** Nobody here will learn what becomes of them. */
  void abandon(String why) {
    pending.abandon(why);
  }

  int size() {
    return pending.size();
  }
}
