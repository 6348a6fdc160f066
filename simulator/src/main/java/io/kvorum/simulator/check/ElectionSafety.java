package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** At most one node leads in a term (§5.2), whether it says so itself or sends entries in it. */
public final class ElectionSafety implements Checker {
  private final Map<Long, NodeId> leaders = new HashMap<>();

  // The same node leads for a long time: what was seen last is what is seen next.
  private long lastTerm;
  private @Nullable NodeId lastLeader;

  @Override
  public String name() {
    return "ElectionSafety";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken && taken.role() == RoleName.LEADER) {
      leads(taken.node(), taken.term());
    } else if (event instanceof SimEvent.Sent sent) {
      Envelope envelope = sent.envelope();
      if (envelope.message() instanceof Message.AppendEntries) {
        leads(envelope.from(), envelope.term());
      }
    }
  }

  private void leads(NodeId node, long term) {
    if (term == lastTerm && node.equals(lastLeader)) {
      return;
    }
    NodeId other = leaders.putIfAbsent(term, node);
    if (other != null && !other.equals(node)) {
      throw new Violation(name(), "both " + other + " and " + node + " lead term " + term);
    }
    lastTerm = term;
    lastLeader = node;
  }
}
