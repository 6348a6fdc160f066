package io.kvorum.server;

import io.kvorum.node.KnownPeers;
import io.kvorum.node.netty.PeerVerdicts;
import io.kvorum.raft.NodeId;
import java.util.NavigableMap;
import java.util.Optional;
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
  private final NavigableMap<NodeId, String> disowning = new TreeMap<>();

  /** Why peers want nothing of this node for other reasons, which may pass. */
  private final NavigableMap<NodeId, String> refusing = new TreeMap<>();

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

  private static String first(NavigableMap<NodeId, String> refusals) {
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

  /** What those who have left the group once said is of no interest any more. */
  private Optional<String> text(NavigableMap<NodeId, String> refusals) {
    NavigableMap<NodeId, String> present = new TreeMap<>(refusals);
    present.keySet().retainAll(roster.ids());
    return present.isEmpty()
        ? Optional.empty()
        : Optional.of("refused by " + present.keySet() + "; " + first(present));
  }
}
