package io.kvorum.simulator.check;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * A leader never shortens its log or changes what is in it (§5.3).
 *
 * <p>Its disk may still change below what it holds in memory, as a write of the time before its
 * election may end only now. So on the disk it is the entries of its own term that must stay.
 */
public final class LeaderAppendOnly implements Checker {
  /** A leadership that lasts. */
  private static final class Leadership {
    private final long term;
    private final Map<Long, EntryDigest> stored = new HashMap<>();
    private EntryId last = EntryId.ZERO;

    Leadership(long term) {
      this.term = term;
    }
  }

  private final Map<NodeId, Leadership> leaderships = new HashMap<>();

  @Override
  public String name() {
    return "LeaderAppendOnly";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken) {
      if (taken.role() == RoleName.LEADER) {
        leaderships.put(taken.node(), new Leadership(taken.term()));
      } else {
        leaderships.remove(taken.node());
      }
    } else if (event instanceof SimEvent.Started started) {
      leaderships.remove(started.node());
    } else if (event instanceof SimEvent.Stopped stopped) {
      leaderships.remove(stopped.node());
    } else if (event instanceof SimEvent.LogMoved moved) {
      Leadership leadership = leaderships.get(moved.node());
      if (leadership != null) {
        moved(moved.node(), leadership, moved.last());
      }
    } else if (event instanceof SimEvent.Stored stored) {
      Leadership leadership = leaderships.get(stored.node());
      if (leadership != null) {
        stored(stored, leadership);
      }
    }
  }

  private void moved(NodeId node, Leadership leadership, EntryId last) {
    EntryId before = leadership.last;
    if (last.index() < before.index() || last.term() < before.term()) {
      throw new Violation(
          name(),
          "the log of %s, which leads term %d, ended at %s and ends now at %s"
              .formatted(node, leadership.term, before, last));
    }
    leadership.last = last;
  }

  private void stored(SimEvent.Stored stored, Leadership leadership) {
    for (EntryDigest entry : stored.entries()) {
      EntryDigest before = leadership.stored.get(entry.index());
      if (before != null && !before.equals(entry)) {
        throw new Violation(
            name(),
            "%s, which leads term %d, replaces its %s by %s"
                .formatted(stored.node(), leadership.term, before, entry));
      }
      if (before == null && entry.term() == leadership.term) {
        leadership.stored.put(entry.index(), entry);
      }
    }
  }
}
