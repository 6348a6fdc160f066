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
  private final SortedMap<NodeId, String> disowning = new TreeMap<>();

  /** Why peers want nothing of this node for other reasons, which may pass. */
  private final SortedMap<NodeId, String> refusing = new TreeMap<>();

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
    disowning.remove(peer);
    refusing.remove(peer);
    if (refusal == null) {
      return;
    }
    if (!refusal.startsWith(KnownPeers.WRONG_INCARNATION)) {
      refusing.put(peer, refusal);
      return;
    }
    disowning.put(peer, refusal);
    var others = roster.otherVoters();
    long count = others.stream().filter(disowning::containsKey).count();
    if (2 * count > others.size()) {
      disowned.accept(
          new DisownedException(
              count
                  + " of "
                  + others.size()
                  + " other voters refuse this node; "
                  + first(disowning)));
    }
  }

  private static String first(SortedMap<NodeId, String> refusals) {
    return refusals.firstKey() + " says: " + refusals.get(refusals.firstKey());
  }

  /** What a person should look at: that some peers know this node's name with other data. */
  Optional<String> disownedBy() {
    return text(disowning);
  }

  /** What a person should look at: that some peers want nothing of this node for another reason. */
  Optional<String> refusedBy() {
    return text(refusing);
  }

  private static Optional<String> text(SortedMap<NodeId, String> refusals) {
    return refusals.isEmpty()
        ? Optional.empty()
        : Optional.of("refused by " + refusals.keySet() + "; " + first(refusals));
  }
}
