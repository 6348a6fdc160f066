package io.kvorum.server;

import io.kvorum.node.KnownPeers;
import io.kvorum.node.netty.PeerVerdicts;
import io.kvorum.raft.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the other members think of this node: whether its data directory is the one that they have
 * met under its name. Used on the node's loop.
 */
final class Standing implements PeerVerdicts {
  private final Roster roster;
  private final Consumer<DisownedException> disowned;
  private final SortedMap<NodeId, String> refusals = new TreeMap<>();

  /**
   * Nobody has said anything yet.
   *
   * @param disowned told when a majority of the other voters refuses this node
   */
  Standing(Roster roster, Consumer<DisownedException> disowned) {
    this.roster = roster;
    this.disowned = disowned;
  }

  @Override
  public void heard(NodeId peer, @Nullable String refusal) {
    if (refusal == null || !refusal.startsWith(KnownPeers.WRONG_INCARNATION)) {
      refusals.remove(peer);
      return;
    }
    refusals.put(peer, refusal);
    var others = roster.otherVoters();
    long refusing = others.stream().filter(refusals::containsKey).count();
    if (2 * refusing > others.size()) {
      disowned.accept(new DisownedException(refusing + " of " + others.size() + " " + text()));
    }
  }

  private String text() {
    return "other voters refuse this node; "
        + refusals.firstKey()
        + " says: "
        + refusals.get(refusals.firstKey());
  }

  /** What a person should look at. */
  Optional<String> problem() {
    return refusals.isEmpty() ? Optional.empty() : Optional.of(refusals.size() + " " + text());
  }
}
