package io.kvorum.simulator.world;

import io.kvorum.raft.EntryId;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.plan.Fault;
import io.kvorum.simulator.plan.Whom;
import io.kvorum.simulator.trace.SimEvent;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds out whom a fault means by the names of {@link Whom}, as things are when it strikes. */
final class Aim {
  private final World world;

  /** Those that have led, the newest one last. */
  private final List<NodeId> leaders = new ArrayList<>();

  private final Set<NodeId> down = new LinkedHashSet<>();

  Aim(World world) {
    this.world = world;
  }

  void hear(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken) {
      if (taken.role() == RoleName.LEADER) {
        leaders.remove(taken.node());
        leaders.add(taken.node());
      }
    } else if (event instanceof SimEvent.Stopped stopped) {
      down.add(stopped.node());
    } else if (event instanceof SimEvent.Started started) {
      down.remove(started.node());
    }
  }

  /**
   * The fault with nodes in place of all other names; null if it needs somebody who is not there.
   */
  @Nullable Fault at(Fault fault) {
    RecordComponent[] components = fault.getClass().getRecordComponents();
    @Nullable Object[] values = new @Nullable Object[components.length];
    boolean isOther = false;
    for (int i = 0; i < components.length; i++) {
      Object named = value(fault, components[i]);
      Object meant = meant(named);
      if (meant == null) {
        return null;
      }
      isOther |= !meant.equals(named);
      values[i] = meant;
    }
    return isOther ? with(fault, components, values) : fault;
  }

  private @Nullable Object meant(Object named) {
    if (named instanceof NodeId node) {
      return find(node);
    }
    if (!(named instanceof List<?> nodes)) {
      return named;
    }
    Set<NodeId> found = new LinkedHashSet<>();
    for (Object each : nodes) {
      NodeId one = find((NodeId) each);
      if (one != null) {
        found.add(one);
      }
    }
    return found.isEmpty() && !nodes.isEmpty() ? null : List.copyOf(found);
  }

  private @Nullable NodeId find(NodeId named) {
    Whom whom = Whom.of(named);
    if (whom == null) {
      return named;
    }
    NodeProcess leader = world.group().leader();
    NodeId leading = leader == null ? null : leader.id();
    return switch (whom) {
      case LEADER -> leading;
      case DEPUTY -> follower(leader, true);
      case LAGGARD -> follower(leader, false);
      case CANDIDATE -> candidate();
      case PREDECESSOR -> before(leading);
      case FALLEN -> fallen();
    };
  }

  private @Nullable NodeId follower(@Nullable NodeProcess leader, boolean best) {
    Membership members =
        leader == null ? Membership.EMPTY : leader.serving().node().status().membership();
    NodeId chosen = null;
    EntryId reached = EntryId.ZERO;
    for (Machine machine : world.machines()) {
      NodeProcess process = machine.process();
      boolean counts =
          process != null
              && process != leader
              && process.isOpen()
              && (members.isEmpty() || members.isVoter(machine.id()));
      if (process == null || !counts) {
        continue;
      }
      EntryId last = process.serving().node().last();
      int order = last.compareTo(reached);
      if (chosen == null || (best ? order > 0 : order <= 0)) {
        chosen = machine.id();
        reached = last;
      }
    }
    return chosen;
  }

  private @Nullable NodeId candidate() {
    NodeId candidate = null;
    long term = -1;
    for (Machine machine : world.machines()) {
      NodeProcess process = machine.process();
      if (process != null && process.isOpen()) {
        RaftStatus status = process.serving().node().status();
        boolean campaigns =
            status.role() == RoleName.CANDIDATE || status.role() == RoleName.PRE_CANDIDATE;
        if (campaigns && status.term() > term) {
          candidate = machine.id();
          term = status.term();
        }
      }
    }
    return candidate;
  }

  private @Nullable NodeId before(@Nullable NodeId leading) {
    for (int i = leaders.size() - 1; i >= 0; i--) {
      if (!leaders.get(i).equals(leading)) {
        return leaders.get(i);
      }
    }
    return null;
  }

  private @Nullable NodeId fallen() {
    NodeId last = null;
    for (NodeId node : down) {
      last = node;
    }
    return last;
  }

  private static Object value(Fault fault, RecordComponent component) {
    try {
      return component.getAccessor().invoke(fault);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("a component of a public record is public", impossible);
    }
  }

  private static Fault with(Fault fault, RecordComponent[] components, @Nullable Object[] values) {
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
    }
    try {
      return (Fault) fault.getClass().getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("the constructor of a public record is public", impossible);
    }
  }
}
