package io.kvorum.node.netty;

import io.kvorum.node.Features;
import io.kvorum.node.GroupMark;
import io.kvorum.node.KnownPeers;
import io.kvorum.raft.NodeId;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides with whom a node talks. What it refuses was, in other systems, a node of another cluster
 * behind a reused address, or a member whose disk was replaced and who had forgotten its votes
 * (FAULTS F152). Used on one node's loop only.
 */
public final class HelloPolicy {
  private static final String UNKNOWN_MEMBER = "unknown member ";

  private final MemberIdentity identity;
  private final Set<NodeId> members = new TreeSet<>();
  private final KnownPeers known;
  private final GroupMark group;
  private final PeerVerdicts verdicts;
  private final Features features;
  private final Supplier<Features> used;
  private Runnable groupLearned = () -> {};

  /**
   * The policy of a node that announces all that this version has, whatever its group uses.
   *
   * @param identity of this node
   * @param known under which incarnation each member was first met
   * @param group to which this node belongs
   */
  public HelloPolicy(MemberIdentity identity, KnownPeers known, GroupMark group) {
    this(
        identity,
        known,
        group,
        (peer, refusal) -> {
          // The link has logged it.
        },
        Features.ALL,
        () -> Features.NONE);
  }

  /**
   * As {@link #HelloPolicy(MemberIdentity, KnownPeers, GroupMark)}, for whom it matters what peers
   * answer, and what the group uses.
   *
   * @param verdicts hears what the peers decide about this node
   * @param features that this node announces
   * @param used by the group, as far as this node knows now: whoever lacks one is not talked to
   */
  public HelloPolicy(
      MemberIdentity identity,
      KnownPeers known,
      GroupMark group,
      PeerVerdicts verdicts,
      Features features,
      Supplier<Features> used) {
    this.identity = identity;
    this.known = known;
    this.group = group;
    this.verdicts = verdicts;
    this.features = features;
    this.used = used;
  }

  /** A peer has answered our hello. */
  public void answered(NodeId peer, HelloAnswer answer) {
    if (answer.refusal() == null) {
      confirm(answer.group());
    }
    verdicts.heard(peer, answer.refusal());
  }

  private void confirm(long mark) {
    boolean knew = group.value() != GroupMark.UNKNOWN;
    group.confirm(mark);
    if (!knew && group.value() != GroupMark.UNKNOWN) {
      groupLearned.run();
    }
  }

  /**
   * Told once, when this node learns of which group it is. Those whose hello was accepted before
   * that could not be told: the transport ends their connections, so that they ask again. Else they
   * might not be confirmed for as long as they run, and let no stranger of their group in.
   */
  public void whenGroupIsLearned(Runnable then) {
    groupLearned = then;
  }

  /** From now on this member's hello is accepted, whether or not its group is known to be ours. */
  public void admit(NodeId member) {
    members.add(member);
  }

  /** What this node announces. */
  public Features features() {
    return features;
  }

  /** Why a member with only these features is sent nothing; null if it has what the group uses. */
  public @Nullable String lack(NodeId member, Features announced) {
    return used.get().refusal(member, announced);
  }

  /** Of this node. */
  public MemberIdentity identity() {
    return identity;
  }

  /** The hello with which this node calls a peer. */
  public Greeting greeting(NodeId to) {
    return new Greeting(
        PeerCodec.PROTOCOL_VERSION,
        identity.clusterId(),
        identity.node(),
        to,
        identity.incarnation(),
        group.value(),
        identity.address(),
        features);
  }

  /**
   * What to answer to a hello. The first incarnation accepted under a name is the only one from
   * then on, and is durable when this returns.
   *
   * <p>A node that is no member as far as this one knows is accepted if it is of our group: the
   * members may have changed while this one was away, and only those who took over can tell it.
   */
  public HelloAnswer answer(Greeting hello) {
    return new HelloAnswer(refusal(hello), group.value(), features);
  }

  /** Whether a refusal only says that somebody is no member: a node that joins is none at first. */
  static boolean isOfStranger(String refusal) {
    return refusal.startsWith(UNKNOWN_MEMBER);
  }

  private @Nullable String refusal(Greeting hello) {
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
    if (!group.fits(hello.group())) {
      return "wrong group: "
          + hello.from()
          + " and "
          + identity.node()
          + " call themselves cluster "
          + identity.clusterId()
          + ", but their groups began with other members: give one of them another cluster id, or"
          + " a new data directory and \"join\"";
    }
    boolean isOurs = group.isConfirmed() && hello.group() == group.value();
    if (hello.from().equals(identity.node()) || !(members.contains(hello.from()) || isOurs)) {
      return UNKNOWN_MEMBER + hello.from() + ": " + identity.node() + " knows " + members;
    }
    // A version that does not say is judged by its answer to our own hello.
    String lack = hello.features().isEmpty() ? null : lack(hello.from(), hello.features());
    return lack != null ? lack : known.refusal(hello.from(), hello.incarnation());
  }
}
