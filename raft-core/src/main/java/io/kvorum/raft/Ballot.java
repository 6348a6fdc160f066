package io.kvorum.raft;

import java.util.HashSet;
import java.util.Set;

/** The answers to one request for votes. Each voter counts once, others never. */
final class Ballot {
  private final Configuration configuration;
  private final Set<NodeId> granted = new HashSet<>();
  private final Set<NodeId> refused = new HashSet<>();

  Ballot(Configuration configuration) {
    this.configuration = configuration;
  }

  Quorum.Outcome count(NodeId voter, boolean grant) {
    if (configuration.isVoter(voter)) {
      Set<NodeId> answers = grant ? granted : refused;
      Set<NodeId> others = grant ? refused : granted;
      if (!others.contains(voter)) {
        answers.add(voter);
      }
    }
    return Quorum.outcome(configuration.voters().size(), granted.size(), refused.size());
  }
}
