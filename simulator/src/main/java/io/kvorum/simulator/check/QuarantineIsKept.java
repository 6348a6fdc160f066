package io.kvorum.simulator.check;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.SimEvent.SnapshotNews;
import java.util.HashMap;
import java.util.Map;

/**
 * Only a node whose state a fault has changed is quarantined. From then on it leads no further term
 * and votes in none, and nothing but another state ends that, once it is written down: no restart
 * either (FAULTS F148).
 */
public final class QuarantineIsKept implements Checker {
  private static final class Held {
    private boolean isFlipped;
    private boolean isIn;
    private boolean isWrittenDown;
    private long term;
    private long termBefore;
  }

  private final Map<NodeId, Held> nodes = new HashMap<>();

  @Override
  public String name() {
    return "QuarantineIsKept";
  }

  private Held held(NodeId node) {
    return nodes.computeIfAbsent(node, unknown -> new Held());
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.FaultStruck struck
        && struck.fault() instanceof Fault.FlipState flip) {
      held(flip.node()).isFlipped = true;
    } else if (event instanceof SimEvent.StateTold told) {
      told(told, held(told.node()));
    } else if (event instanceof SimEvent.SnapshotTold told) {
      if (told.news() == SnapshotNews.INSTALLED) {
        held(told.node()).isFlipped = false;
        held(told.node()).isWrittenDown = false;
      }
    } else if (event instanceof SimEvent.RoleTaken taken) {
      taken(taken, held(taken.node()));
    } else if (event instanceof SimEvent.Sent sent) {
      sent(sent.envelope(), held(sent.envelope().from()));
    } else if (event instanceof SimEvent.Started started) {
      held(started.node()).isIn = false;
    }
  }

  private void told(SimEvent.StateTold told, Held held) {
    switch (told.news()) {
      case TRUSTED -> held.isFlipped = false;
      case MARKING, QUARANTINED -> {
        if (!held.isIn && !held.isFlipped) {
          throw new Violation(name(), told.node() + " is quarantined, and its state is right");
        }
        if (!held.isIn) {
          held.isIn = true;
          held.termBefore = held.term;
        }
        held.isWrittenDown |= told.news() == SimEvent.StateNews.QUARANTINED;
      }
      case SERVING -> {
        if (held.isWrittenDown) {
          throw new Violation(name(), told.node() + " has left its quarantine with a wrong state");
        }
        held.isIn = false;
      }
    }
  }

  private void taken(SimEvent.RoleTaken taken, Held held) {
    held.term = Math.max(held.term, taken.term());
    if (held.isIn && taken.role() == RoleName.LEADER && taken.term() > held.termBefore) {
      throw new Violation(name(), taken.node() + " leads in quarantine, term " + taken.term());
    }
  }

  /** What was promised before may still leave. */
  private void sent(Envelope envelope, Held held) {
    boolean votes =
        envelope.message() instanceof Message.RequestVoteResponse response
            && response.granted()
            && !response.preVote();
    if (held.isIn && votes && envelope.term() > held.termBefore) {
      throw new Violation(
          name(), envelope.from() + " votes in quarantine, in term " + envelope.term());
    }
  }
}
