package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What any node regards as committed is the same entry on every node that does, stays on each disk
 * that has it, and survives that machine's crashes, unless its disk is damaged.
 */
public final class CommittedNeverChanges implements Checker {
  /** What one node regards as committed and has on its disk. */
  private static final class Committed {
    /** In this life. */
    private long comparedIndex;

    /** In any life. */
    private long heldIndex;

    private boolean freshlyStarted;
  }

  private final DurableLogs logs;

  /** Each committed entry at its index less one. */
  private final List<EntryDigest> committed = new ArrayList<>();

  private final Map<NodeId, Committed> nodes = new HashMap<>();

  CommittedNeverChanges(DurableLogs logs) {
    this.logs = logs;
  }

  @Override
  public String name() {
    return "CommittedNeverChanges";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Stored stored) {
      stays(stored);
    }
    logs.on(event);
    if (event instanceof SimEvent.LogMoved moved) {
      moved(moved, of(moved.node()));
    } else if (event instanceof SimEvent.SnapshotTold told) {
      if (told.news() == SimEvent.SnapshotNews.LOG_RESET) {
        emptied(told, of(told.node()));
      }
    } else if (event instanceof SimEvent.Started started) {
      Committed node = of(started.node());
      node.comparedIndex = 0;
      node.freshlyStarted = true;
    } else if (event instanceof SimEvent.LogLacks told && told.lacks()) {
      // It knows, and does not vote: see VotersLackNothing.
      of(told.node()).heldIndex = 0;
    } else if (event instanceof SimEvent.FaultStruck struck) {
      NodeId damaged = Damage.toLog(struck.fault());
      if (damaged != null) {
        of(damaged).heldIndex = 0;
      }
    } else if (event instanceof SimEvent.Applied applied) {
      sameForAll(applied.node(), applied.entry());
    }
  }

  private Committed of(NodeId node) {
    return nodes.computeIfAbsent(node, unknown -> new Committed());
  }

  private void stays(SimEvent.Stored stored) {
    long held = of(stored.node()).heldIndex;
    for (EntryDigest entry : stored.entries()) {
      if (entry.index() > held) {
        return;
      }
      EntryDigest before = committed.get((int) (entry.index() - 1));
      if (!before.equals(entry)) {
        throw new Violation(
            name(), stored.node() + " replaces its committed " + before + " by " + entry);
      }
    }
  }

  /** Entries behind the snapshot go with the others: none of them may be committed. */
  private void emptied(SimEvent.SnapshotTold told, Committed node) {
    if (told.last().index() < node.heldIndex) {
      throw new Violation(
          name(),
          "%s gives up its log for a snapshot of %s, and with it %s, which is committed"
              .formatted(told.node(), told.last(), committed.get((int) (node.heldIndex - 1)).id()));
    }
  }

  private void moved(SimEvent.LogMoved moved, Committed node) {
    if (node.freshlyStarted && moved.last().index() < node.heldIndex) {
      throw new Violation(
          name(),
          "%s starts with a log that ends at %s; on its disk was %s, which is committed"
              .formatted(
                  moved.node(), moved.last(), committed.get((int) (node.heldIndex - 1)).id()));
    }
    node.freshlyStarted = false;
    long upTo = Math.min(moved.commitIndex(), moved.durableIndex());
    upTo = Math.min(upTo, logs.lastIndex(moved.node()));
    for (long index = node.comparedIndex + 1; index <= upTo; index++) {
      EntryDigest held = logs.at(moved.node(), index);
      if (held == null || !logs.isCertain(moved.node(), index) || index > committed.size() + 1) {
        return;
      }
      sameForAll(moved.node(), held);
      node.comparedIndex = index;
      node.heldIndex = Math.max(node.heldIndex, index);
    }
  }

  private void sameForAll(NodeId node, EntryDigest entry) {
    int at = (int) (entry.index() - 1);
    if (at == committed.size()) {
      committed.add(entry);
    } else if (at < committed.size() && !committed.get(at).equals(entry)) {
      throw new Violation(
          name(), "committed is " + committed.get(at) + ", but on " + node + " " + entry);
    }
  }
}
