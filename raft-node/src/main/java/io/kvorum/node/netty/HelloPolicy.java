package io.kvorum.node.netty;

import io.kvorum.node.KnownPeers;
import io.kvorum.raft.NodeId;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides with whom a node talks. What it refuses was, in other systems, a node of another cluster
 * behind a reused address, or a member whose disk was replaced and who had forgotten its votes
 * (FAULTS F152). Used on one node's loop only.
 */
public final class HelloPolicy {
  private final MemberIdentity identity;
  private final Set<NodeId> members = new TreeSet<>();
  private final KnownPeers known;
  private final PeerVerdicts verdicts;

  /**
   * The policy of this node.
   *
   * @param identity of this node
   * @param known under which incarnation each member was first met
   */
  public HelloPolicy(MemberIdentity identity, KnownPeers known) {
    this(
        identity,
        known,
        (peer, refusal) -> {
          // The link has logged it.
        });
  }

  /**
   * As {@link #HelloPolicy(MemberIdentity, KnownPeers)}, for whom it matters what peers answer.
   *
   * @param verdicts hears what the peers decide about this node
   */
  public HelloPolicy(MemberIdentity identity, KnownPeers known, PeerVerdicts verdicts) {
    this.identity = identity;
    this.known = known;
    this.verdicts = verdicts;
  }

  /** A peer has answered our hello. */
  void answered(NodeId peer, @Nullable String refusal) {
    verdicts.heard(peer, refusal);
  }

  /** From now on this member's hello is accepted. */
  public void admit(NodeId member) {
    members.add(member);
  }

  /** Of this node. */
  public MemberIdentity identity() {
    return identity;
  }

  /**
   * Why this peer is refused, or null when it is accepted: what a transport without bytes asks.
   *
   * @param peer who calls, and speaks this version of the protocol
   * @param to whom it looks for
   */
  public @Nullable String refusal(MemberIdentity peer, NodeId to) {
    return refusal(
        new Greeting(
            PeerCodec.PROTOCOL_VERSION, peer.clusterId(), peer.node(), to, peer.incarnation()));
  }

  /**
   * Why this hello is refused, or null when it is accepted. The first incarnation accepted under a
   * name is the only one from then on.
   */
  @Nullable String refusal(Greeting hello) {
    if (hello.protocolVersion() != PeerCodec.PROTOCOL_VERSION) {
      return "protocol version "
          + hello.protocolVersion()
          + " is not spoken here, only version "
          + PeerCodec.PROTOCOL_VERSION;
    }
    if (!hello.clusterId().equals(identity.clusterId())) {
      return "wrong cluster: "
          + hello.from()
          + " belongs to cluster "
          + hello.clusterId()
          + ", but "
          + identity.node()
          + " to cluster "
          + identity.clusterId();
    }
    if (!hello.to().equals(identity.node())) {
      return "wrong addressee: "
          + hello.from()
          + " looks for "
          + hello.to()
          + ", but this is "
          + identity.node();
    }
    if (hello.from().equals(identity.node()) || !members.contains(hello.from())) {
      return "unknown member " + hello.from() + ": " + identity.node() + " knows " + members;
    }
    return known.refusal(hello.from(), hello.incarnation());
  }
}
