package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.trace.EntryDigest;
import io.kvorum.simulator.trace.SimEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * At an index every state machine applies the same entry, with the same result (§5.4.3); each in
 * order without a gap, and after a restart from a place that it had reached, in the same way again.
 */
public final class StateMachineSafety implements Checker {
  /** How far one node's state machine is. */
  private static final class Progress {
    private boolean began;
    private long lastIndex;
    private long highestIndex;
  }

  /** Who applied what first, each at its index less one. */
  private final List<SimEvent.Applied> first = new ArrayList<>();

  private final Map<NodeId, Progress> nodes = new HashMap<>();

  @Override
  public String name() {
    return "StateMachineSafety";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Applied applied) {
      Progress progress = nodes.computeIfAbsent(applied.node(), unknown -> new Progress());
      inOrder(applied, progress);
      likeTheOthers(applied);
    } else if (event instanceof SimEvent.SnapshotTold told) {
      if (told.news() == SimEvent.SnapshotNews.INSTALLED) {
        installed(told.node(), told.last().index());
      }
    } else if (event instanceof SimEvent.StateTold told) {
      if (told.news() == SimEvent.StateNews.TRUSTED) {
        // What it has applied since a fault changed its state, nobody was told.
        installed(told.node(), told.index());
      }
    } else if (event instanceof SimEvent.Started started) {
      nodes.computeIfAbsent(started.node(), unknown -> new Progress()).began = false;
    }
  }

  /** A snapshot takes a state forward, never back; what it holds, {@link EqualStateHash} sees. */
  private void installed(NodeId node, long index) {
    Progress progress = nodes.computeIfAbsent(node, unknown -> new Progress());
    if (index > first.size() || (progress.began && index <= progress.lastIndex)) {
      throw new Violation(
          name(),
          "%s installs the state as of %d, has applied to %d, and all together to %d"
              .formatted(node, index, progress.lastIndex, first.size()));
    }
    progress.began = true;
    progress.lastIndex = index;
    progress.highestIndex = Math.max(progress.highestIndex, index);
  }

  private void inOrder(SimEvent.Applied applied, Progress progress) {
    long index = applied.entry().index();
    if (progress.began ? index != progress.lastIndex + 1 : index > progress.highestIndex + 1) {
      throw new Violation(
          name(),
          "%s applies %s %s"
              .formatted(
                  applied.node(),
                  applied.entry().id(),
                  progress.began
                      ? "after " + progress.lastIndex
                      : "first after it started, but had reached only " + progress.highestIndex));
    }
    progress.began = true;
    progress.lastIndex = index;
    progress.highestIndex = Math.max(progress.highestIndex, index);
  }

  private void likeTheOthers(SimEvent.Applied applied) {
    EntryDigest entry = applied.entry();
    if (entry.index() == first.size() + 1) {
      first.add(applied);
      return;
    }
    SimEvent.Applied known = first.get((int) (entry.index() - 1));
    if (!known.entry().equals(entry)) {
      throw new Violation(
          name(),
          "%s has applied %s, and %s applies %s"
              .formatted(known.node(), known.entry(), applied.node(), entry));
    }
    if (known.resultHash() != applied.resultHash() || known.revision() != applied.revision()) {
      throw new Violation(
          name(),
          "%s results in %016x at revision %d on %s, in %016x at revision %d on %s"
              .formatted(
                  entry.id(),
                  known.resultHash(),
                  known.revision(),
                  known.node(),
                  applied.resultHash(),
                  applied.revision(),
                  applied.node()));
    }
  }
}
