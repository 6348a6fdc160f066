package io.kvorum.simulator.check;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is committed in a term is in the logs of the leaders of that and all later terms (§5.4.3).
 *
 * <p>Events do not say in which term an entry was committed. But a node that applies it has learnt
 * of it from a leader of its own term or of an earlier one; so its term is late enough, and leaders
 * from that term on must hold the entry. A leader's log is known where it is durable: there it is
 * compared, entry by entry; above that, its length is.
 */
public final class LeaderCompleteness implements Checker {
  private static final class Leadership {
    private final long term;
    private long comparedIndex;

    Leadership(long term) {
      this.term = term;
    }
  }

  private final DurableLogs logs;

  /** What was applied, each entry at its index less one. */
  private final List<EntryDigest> applied = new ArrayList<>();

  /** Term to the highest index that was committed in it or before. Indexes rise with terms. */
  private final TreeMap<Long, Long> committedByTerm = new TreeMap<>();

  private final Map<NodeId, Long> terms = new HashMap<>();
  private final Map<NodeId, Leadership> leaderships = new HashMap<>();
  private long termMax;

  LeaderCompleteness(DurableLogs logs) {
    this.logs = logs;
  }

  @Override
  public String name() {
    return "LeaderCompleteness";
  }

  @Override
  public void on(SimEvent event) {
    logs.on(event);
    if (event instanceof SimEvent.RoleTaken taken) {
      roleTaken(taken);
    } else if (event instanceof SimEvent.Started started) {
      down(started.node());
    } else if (event instanceof SimEvent.Stopped stopped) {
      down(stopped.node());
    } else if (event instanceof SimEvent.Applied done) {
      applied(done.node(), done.entry());
    } else if (event instanceof SimEvent.LogMoved moved) {
      Leadership leadership = leaderships.get(moved.node());
      if (leadership != null) {
        compare(moved, leadership);
      }
    }
  }

  private void roleTaken(SimEvent.RoleTaken taken) {
    terms.put(taken.node(), taken.term());
    termMax = Math.max(termMax, taken.term());
    if (taken.role() == RoleName.LEADER) {
      leaderships.put(taken.node(), new Leadership(taken.term()));
    } else {
      leaderships.remove(taken.node());
    }
  }

  private void down(NodeId node) {
    terms.remove(node);
    leaderships.remove(node);
  }

  private void applied(NodeId node, EntryDigest entry) {
    if (entry.index() == applied.size() + 1) {
      applied.add(entry);
    }
    long term = terms.getOrDefault(node, termMax);
    if (entry.index() > applied.size() || committedUpTo(term) >= entry.index()) {
      return;
    }
    committedByTerm.put(term, entry.index());
    committedByTerm
        .tailMap(term, false)
        .replaceAll((later, index) -> Math.max(index, entry.index()));
  }

  private long committedUpTo(long term) {
    Map.Entry<Long, Long> floor = committedByTerm.floorEntry(term);
    return floor == null ? 0 : floor.getValue();
  }

  private void compare(SimEvent.LogMoved moved, Leadership leadership) {
    NodeId leader = moved.node();
    long committed = committedUpTo(leadership.term);
    if (moved.last().index() < committed) {
      throw missing(leader, leadership, applied.get((int) moved.last().index()).id());
    }
    long known = Math.min(moved.durableIndex(), logs.lastIndex(leader));
    long upTo = Math.min(committed, known);
    for (long index = leadership.comparedIndex + 1; index <= upTo; index++) {
      EntryDigest held = logs.at(leader, index);
      EntryDigest wanted = applied.get((int) (index - 1));
      if (held != null && logs.isCertain(leader, index) && !held.equals(wanted)) {
        throw missing(leader, leadership, wanted.id());
      }
      leadership.comparedIndex = index;
    }
  }

  private Violation missing(NodeId leader, Leadership leadership, EntryId wanted) {
    return new Violation(
        name(),
        "%s leads term %d without %s, which is committed"
            .formatted(leader, leadership.term, wanted));
  }
}
