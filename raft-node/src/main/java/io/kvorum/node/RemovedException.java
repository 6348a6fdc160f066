package io.kvorum.node;

import io.kvorum.raft.NodeId;

/**
 * The group has removed this node, which therefore stops itself. Nothing is wrong with it; but what
 * it promised is void, so it may come back only under a new node id, with a new directory.
 */
public final class RemovedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RemovedException(NodeId self) {
    super(
        self
            + " was removed from its group: it stops. To take part again it needs a new node id and"
            + " an empty data directory");
  }
}
