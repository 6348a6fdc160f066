package io.kvorum.node.netty;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;

/**
 * Who a node says it is when it greets a peer.
 *
 * @param clusterId 1 to 64 visible ASCII characters
 * @param node its name
 * @param incarnation of its data directory: random, written when the directory is made
 * @param address where it is reached, as a membership would say it; empty if nobody knows
 */
public record MemberIdentity(String clusterId, NodeId node, long incarnation, String address) {
  private static final int CLUSTER_ID_LENGTH_MAX = 64;

  public MemberIdentity {
    if (!isClusterId(clusterId)) {
      throw new IllegalArgumentException(
          "cluster id \"" + clusterId + "\": allowed are 1 to 64 visible ASCII characters");
    }
    if (!isAddress(address)) {
      throw new IllegalArgumentException(
          "address \"" + address + "\": allowed are up to 255 visible ASCII characters");
    }
  }

  /** An identity that does not say where the node is reached. */
  public MemberIdentity(String clusterId, NodeId node, long incarnation) {
    this(clusterId, node, incarnation, "");
  }

  static boolean isClusterId(String text) {
    return !text.isEmpty() && text.length() <= CLUSTER_ID_LENGTH_MAX && isVisible(text);
  }

  static boolean isAddress(String text) {
    return text.length() <= Membership.ADDRESS_BYTES_MAX && isVisible(text);
  }

  private static boolean isVisible(String text) {
    return text.chars().allMatch(c -> c > 0x20 && c < 0x7f);
  }
}
