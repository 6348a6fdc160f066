package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * A node's term and commit index never fall while its process lives, nor does its durable index,
 * except where a new leader replaces what is not committed. Over a crash a node may forget a term
 * that it has only heard of, but none in which it has said something; unless its disk is replaced.
 */
public final class MonotonicPositions implements Checker {
  /** Where one node stands. */
  private static final class Position {
    private long term;
    private long spokenTerm;
    private long durableIndex;
    private long commitIndex;
  }

  private final Map<NodeId, Position> nodes = new HashMap<>();

  @Override
  public String name() {
    return "MonotonicPositions";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.LogMoved moved) {
      moved(moved, of(moved.node()));
    } else if (event instanceof SimEvent.Sent sent) {
      spoke(sent.envelope());
    } else if (event instanceof SimEvent.RoleTaken taken) {
      Position position = of(taken.node());
      rises(taken.node(), "term", position.term, taken.term());
      position.term = taken.term();
    } else if (event instanceof SimEvent.Started started) {
      Position position = of(started.node());
      position.term = position.spokenTerm;
      position.durableIndex = 0;
      position.commitIndex = 0;
    } else if (event instanceof SimEvent.FaultStruck struck) {
      NodeId replaced = Damage.toAll(struck.fault());
      if (replaced != null) {
        of(replaced).spokenTerm = 0;
      }
    }
  }

  private Position of(NodeId node) {
    return nodes.computeIfAbsent(node, unknown -> new Position());
  }

  /** A pre-vote and its answer name a term that nobody has entered yet. */
  private void spoke(Envelope envelope) {
    Message message = envelope.message();
    boolean preVote =
        message instanceof Message.RequestVote request && request.preVote()
            || message instanceof Message.RequestVoteResponse response && response.preVote();
    if (!preVote) {
      Position position = of(envelope.from());
      position.spokenTerm = Math.max(position.spokenTerm, envelope.term());
    }
  }

  private void moved(SimEvent.LogMoved moved, Position position) {
    NodeId node = moved.node();
    rises(node, "commit index", position.commitIndex, moved.commitIndex());
    rises(
        node,
        "durable index",
        Math.min(position.durableIndex, position.commitIndex),
        moved.durableIndex());
    rises(
        node,
        "end of the log, seen from the commit index",
        moved.commitIndex(),
        moved.last().index());
    rises(
        node,
        "end of the log, seen from the durable index",
        moved.durableIndex(),
        moved.last().index());
    position.durableIndex = moved.durableIndex();
    position.commitIndex = moved.commitIndex();
  }

  private void rises(NodeId node, String what, long before, long now) {
    if (now < before) {
      throw new Violation(name(), "the " + what + " of " + node + " falls: " + before + ", " + now);
    }
  }
}
