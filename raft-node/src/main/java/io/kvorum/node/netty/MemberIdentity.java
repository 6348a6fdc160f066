package io.kvorum.node.netty;

import io.kvorum.raft.NodeId;

/**
 * Who a node says it is when it greets a peer.
 *
 * @param clusterId 1 to 64 visible ASCII characters
 * @param node its name
 * @param incarnation of its data directory: random, written when the directory is made
 */
public record MemberIdentity(String clusterId, NodeId node, long incarnation) {
  private static final int CLUSTER_ID_LENGTH_MAX = 64;

  public MemberIdentity {
    if (!isClusterId(clusterId)) {
      throw new IllegalArgumentException(
          "cluster id \"" + clusterId + "\": allowed are 1 to 64 visible ASCII characters");
    }
  }

  static boolean isClusterId(String text) {
    return !text.isEmpty()
        && text.length() <= CLUSTER_ID_LENGTH_MAX
        && text.chars().allMatch(c -> c > 0x20 && c < 0x7f);
  }
}
