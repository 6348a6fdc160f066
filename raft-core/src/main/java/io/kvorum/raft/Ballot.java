package io.kvorum.raft;

import java.util.HashSet;
import java.util.Set;

/** The answers to one request for votes. Each voter counts once, others never. */
final class Ballot {
  private final Electorate electorate;
  private final Set<NodeId> granted = new HashSet<>();
  private final Set<NodeId> refused = new HashSet<>();

  Ballot(Electorate electorate) {
    this.electorate = electorate;
  }

  Quorum.Outcome count(NodeId voter, boolean grant) {
    Set<NodeId> answers = grant ? granted : refused;
    Set<NodeId> others = grant ? refused : granted;
    if (!others.contains(voter)) {
      answers.add(voter);
    }
    return electorate.outcome(granted, refused);
  }
}
