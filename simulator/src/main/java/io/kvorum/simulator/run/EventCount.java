package io.kvorum.simulator.run;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.NodeId;
import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/** Counts events; promises nothing. */
public final class EventCount implements Checker {
  private long events;
  private SnapshotTotals snapshots = SnapshotTotals.NONE;

  /** What each node has written last: what it publishes besides came from another one. */
  private final Map<NodeId, EntryId> written = new HashMap<>();

  @Override
  public String name() {
    return "EventCount";
  }

  @Override
  public void on(SimEvent event) {
    events++;
    if (event instanceof SimEvent.SnapshotTold told) {
      snapshots = snapshots.plus(of(told));
    } else if (event instanceof SimEvent.Framed framed
        && framed.news() == SimEvent.FrameNews.DELIVERED) {
      snapshots = snapshots.plus(new SnapshotTotals(0, 0, 0, 0, 1));
    }
  }

  private SnapshotTotals of(SimEvent.SnapshotTold told) {
    switch (told.news()) {
      case FOUND, LOG_RESET -> {
        return SnapshotTotals.NONE;
      }
      case WRITTEN -> {
        written.put(told.node(), told.last());
        return SnapshotTotals.NONE;
      }
      case PUBLISHED -> {
        return told.last().equals(written.get(told.node()))
            ? new SnapshotTotals(1, 0, 0, 0, 0)
            : new SnapshotTotals(0, 1, 0, 0, 0);
      }
      case INSTALLED -> {
        return new SnapshotTotals(0, 0, 1, 0, 0);
      }
      case LOG_CUT -> {
        return new SnapshotTotals(0, 0, 0, 1, 0);
      }
    }
    throw new AssertionError("unknown news " + told);
  }

  /** How many have happened so far. */
  public long events() {
    return events;
  }

  /** What has happened about snapshots so far. */
  public SnapshotTotals snapshots() {
    return snapshots;
  }
}
