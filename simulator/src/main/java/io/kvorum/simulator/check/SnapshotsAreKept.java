package io.kvorum.simulator.check;

import io.kvorum.raft.NodeId;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.NodeFile;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The newest snapshot of a node survives its crashes, unless it is lost or damaged; it is never
 * older than one before; and no log is cut ahead of it, nor reset to another place.
 */
public final class SnapshotsAreKept implements Checker {
  /** What one node has. */
  private static final class Held {
    private long newest;

    /** Something was lost, and nothing has taken its place yet. */
    private boolean isDamaged;

    /** Its first segments may be gone, which looks as if they had been cut off. */
    private boolean isLogDamaged;
  }

  private final Map<NodeId, Held> nodes = new HashMap<>();

  @Override
  public String name() {
    return "SnapshotsAreKept";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.SnapshotTold told) {
      told(told, nodes.computeIfAbsent(told.node(), unknown -> new Held()));
    } else if (event instanceof SimEvent.StateTold told) {
      // Those of a state that was found wrong are deleted on purpose.
      boolean isWrong = told.news() == SimEvent.StateNews.MARKING;
      nodes.computeIfAbsent(told.node(), unknown -> new Held()).isDamaged |= isWrong;
    } else if (event instanceof SimEvent.LogLacks lacks) {
      // From its start on, or until it has again what was cut off before.
      nodes.computeIfAbsent(lacks.node(), unknown -> new Held()).isLogDamaged = true;
    } else if (event instanceof SimEvent.FaultStruck struck) {
      NodeId damaged = damaged(struck.fault());
      if (damaged != null) {
        nodes.computeIfAbsent(damaged, unknown -> new Held()).isDamaged = true;
      }
      if (struck.fault() instanceof Fault.LoseFile lose && lose.file() == NodeFile.FIRST_SEGMENT) {
        nodes.computeIfAbsent(lose.node(), unknown -> new Held()).isLogDamaged = true;
      }
    }
  }

  private static @Nullable NodeId damaged(Fault fault) {
    if (fault instanceof Fault.LoseFile lose && lose.file().isCopy()) {
      return lose.node();
    } else if (fault instanceof Fault.FlipBit flip && flip.file().isCopy()) {
      return flip.node();
    } else if (fault instanceof Fault.ZeroPage zero && zero.file().isCopy()) {
      return zero.node();
    }
    return Damage.toAll(fault);
  }

  private void told(SimEvent.SnapshotTold told, Held held) {
    long index = told.last().index();
    switch (told.news()) {
      case FOUND -> {
        if (index < held.newest && !held.isDamaged) {
          throw broken(told, "has lost its snapshot of " + held.newest);
        }
        held.newest = index;
      }
      case PUBLISHED -> {
        held.isDamaged &= index < held.newest;
        held.newest = Math.max(held.newest, index);
      }
      case LOG_CUT, LOG_RESET -> {
        if (index > held.newest && !held.isDamaged && !held.isLogDamaged) {
          throw broken(told, "has no snapshot beyond " + held.newest);
        }
      }
      case WRITTEN, INSTALLED -> {}
    }
  }

  private Violation broken(SimEvent.SnapshotTold told, String what) {
    return new Violation(
        name(), "%s %s; %s %s".formatted(told.node(), what, told.news(), told.last()));
  }
}
