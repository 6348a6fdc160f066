package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * A node gives its vote in a term to one candidate only, whatever crashes lie between (§5.2). A
 * node whose disk was replaced is another one.
 */
public final class OneVotePerTerm implements Checker {
  private record Ballot(NodeId voter, long term) {}

  private final Map<Ballot, NodeId> votes = new HashMap<>();

  @Override
  public String name() {
    return "OneVotePerTerm";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.FaultStruck struck) {
      NodeId replaced = Damage.toAll(struck.fault());
      votes.keySet().removeIf(ballot -> ballot.voter().equals(replaced));
    }
    if (!(event instanceof SimEvent.Sent sent)) {
      return;
    }
    Envelope envelope = sent.envelope();
    if (envelope.message() instanceof Message.RequestVote request) {
      if (!request.preVote()) {
        votes(envelope.from(), envelope.term(), envelope.from());
      }
    } else if (envelope.message() instanceof Message.RequestVoteResponse response) {
      if (response.granted() && !response.preVote()) {
        votes(envelope.from(), envelope.term(), envelope.to());
      }
    }
  }

  private void votes(NodeId voter, long term, NodeId candidate) {
    NodeId other = votes.putIfAbsent(new Ballot(voter, term), candidate);
    if (other != null && !other.equals(candidate)) {
      throw new Violation(
          name(), voter + " votes for both " + other + " and " + candidate + " in term " + term);
    }
  }
}
