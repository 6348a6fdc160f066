package io.kvorum.simulator.world;

import io.kvorum.raft.Message;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Cue;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Listens for the moments that faults wait for. What waits for one is done after the step in which
 * it came: never in the middle of it.
 */
final class Cues {
  /** What waits, and how often its cue has still to come. */
  private static final class Waiting {
    private final Fault.Moment moment;
    private final Runnable then;
    private int missing;

    Waiting(Fault.Moment moment, Runnable then) {
      this.moment = moment;
      this.then = then;
      this.missing = moment.count();
    }
  }

  private final VirtualTime time;
  private final List<Waiting> all = new ArrayList<>();
  private final Map<NodeId, Long> durable = new HashMap<>();
  private boolean over;

  Cues(VirtualTime time) {
    this.time = time;
  }

  /** Does that once, when the moment comes. */
  void await(Fault.Moment moment, Runnable then) {
    all.add(new Waiting(moment, then));
  }

  /** Nothing that waits is done any more. */
  void end() {
    over = true;
    all.clear();
  }

  void hear(SimEvent event) {
    Cue cue = cueOf(event);
    if (cue == null || all.isEmpty()) {
      return;
    }
    for (Waiting waiting : all) {
      if (waiting.moment.cue() == cue && --waiting.missing == 0) {
        time.after(waiting.moment.delayNanos(), () -> come(waiting));
      }
    }
    all.removeIf(waiting -> waiting.missing <= 0);
  }

  private void come(Waiting waiting) {
    if (!over) {
      waiting.then.run();
    }
  }

  private @Nullable Cue cueOf(SimEvent event) {
    if (event instanceof SimEvent.Sent sent) {
      return cueOfSent(sent.envelope().message());
    } else if (event instanceof SimEvent.Delivered delivered) {
      return cueOfDelivered(delivered.envelope().message());
    } else if (event instanceof SimEvent.LogMoved moved) {
      Long before = durable.put(moved.node(), moved.durableIndex());
      return before != null && moved.durableIndex() < before ? Cue.TRUNCATED : null;
    } else if (event instanceof SimEvent.RoleTaken taken) {
      return cueOf(taken.role());
    }
    if (event instanceof SimEvent.Framed framed) {
      return framed.news() == SimEvent.FrameNews.SENT ? Cue.SNAPSHOT_MOVED : null;
    } else if (event instanceof SimEvent.SnapshotTold told) {
      return told.news() == SimEvent.SnapshotNews.INSTALLED ? Cue.INSTALLED : null;
    }
    return event instanceof SimEvent.GroupChanged ? Cue.REGROUPED : null;
  }

  private static @Nullable Cue cueOf(RoleName role) {
    if (role == RoleName.LEADER) {
      return Cue.ELECTED;
    }
    return role == RoleName.CANDIDATE ? Cue.CAMPAIGNED : null;
  }

  private static @Nullable Cue cueOfSent(Message message) {
    if (message instanceof Message.RequestVoteResponse response) {
      return response.granted() && !response.preVote() ? Cue.VOTED : null;
    }
    return hasEntries(message) ? Cue.APPENDED : null;
  }

  private static @Nullable Cue cueOfDelivered(Message message) {
    if (message instanceof Message.TimeoutNow) {
      return Cue.HANDED_OVER;
    }
    return hasEntries(message) ? Cue.DELIVERED : null;
  }

  private static boolean hasEntries(Message message) {
    return message instanceof Message.AppendEntries append && !append.entries().isEmpty();
  }
}
