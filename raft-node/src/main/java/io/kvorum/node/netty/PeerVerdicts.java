package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;
import org.jspecify.annotations.Nullable;

/** Hears what the other members answer when this node greets them. Called on the loop. */
@FunctionalInterface
public interface PeerVerdicts {
  /**
   * A peer has answered the hello.
   *
   * @param refusal why it wants nothing of this node; null if it does
   */
  void heard(NodeId peer, @Nullable String refusal);
}
