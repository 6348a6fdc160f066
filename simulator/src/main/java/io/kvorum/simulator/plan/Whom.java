package io.kvorum.simulator.plan;

import io.kvorum.raft.NodeId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names by which a fault means whoever it is when it strikes. They stand where a plan names a node:
 * {@code Kill node=leader}. When nobody is meant, nothing strikes.
 */
public enum Whom {
  /** Who leads the newest term. */
  LEADER,
  /** Of the voters that run, the leader aside, the one with most of the log. */
  DEPUTY,
  /** Of the voters that run, the leader aside, the one with least of the log. */
  LAGGARD,
  /** Who campaigns in the newest term, or asks whether to. */
  CANDIDATE,
  /** The last one that led before the leader did. */
  PREDECESSOR,
  /** Of those that are down, the one that went down last. */
  FALLEN;

  /** What stands in a plan. */
  public NodeId id() {
    return new NodeId(name().toLowerCase(Locale.ROOT));
  }

  /** What is meant by that name; null if it is the name of a node. */
  public static @Nullable Whom of(NodeId named) {
    for (Whom whom : values()) {
      if (whom.id().equals(named)) {
        return whom;
      }
    }
    return null;
  }
}
