package io.kvorum.node;

import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what not every version knows out of the log until every member has said that it knows it
 * (docs/adr/0019): each voter and learner, of both halves of a joint membership, on the connection
 * that is up now. Who is not reached has said nothing, so it does not have it.
 *
 * <p>What the log holds already is different: whoever lacks that stops anyway, so nobody is waited
 * for any more, and who has it not is taken in no more. Used on the loop.
 */
final class FeatureGate {
  private final Supplier<Membership> members;
  private final LongSupplier term;
  private final Transport transport;
  private final Supplier<Features> applied;

  /** What was proposed here and may not be applied yet. */
  private Features proposed = Features.NONE;

  /** While this node leads in it, all that it proposed in it stays in its log. */
  private long proposedTerm;

  /**
   * A gate.
   *
   * @param members of the group, as far as the log goes, committed or not
   * @param term in which this node is
   * @param applied what entries that were applied here have used; from any thread
   */
  FeatureGate(
      Supplier<Membership> members,
      LongSupplier term,
      Transport transport,
      Supplier<Features> applied) {
    this.members = members;
    this.term = term;
    this.transport = transport;
    this.applied = applied;
  }

  /** What the group uses: it is in the log, or was. */
  Features used() {
    Features durable = applied.get();
    return proposedTerm == term.getAsLong() ? durable.with(proposed) : durable;
  }

  boolean isOpen(Feature feature) {
    return lack(feature) == null;
  }

  /** Who keeps it from being used; null if nobody does. */
  Refusal.@Nullable Lacking lack(Feature feature) {
    return used().has(feature) ? null : lack(feature, members.get().members());
  }

  private Refusal.@Nullable Lacking lack(Feature feature, Collection<NodeId> among) {
    for (NodeId member : among) {
      Features announced = transport.features(member);
      if (announced == null || !announced.has(feature)) {
        return new Refusal.Lacking(feature, member, announced != null);
      }
    }
    return null;
  }

  /** An entry that needs it is in the log now. */
  void proposed(Feature feature) {
    proposed = (proposedTerm == term.getAsLong() ? proposed : Features.NONE).with(feature);
    proposedTerm = term.getAsLong();
  }

  /**
   * Why these may not become members, in words; null if nothing is known against them. One that was
   * not reached yet is judged when it calls.
   */
  @Nullable String refuse(Collection<NodeId> newcomers) {
    for (NodeId newcomer : newcomers) {
      Features announced = transport.features(newcomer);
      String why = announced == null ? null : used().refusal(newcomer, announced);
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  /** Each feature of this version, and who keeps it from being used; null if nobody does. */
  Map<Feature, Refusal.@Nullable Lacking> all() {
    Map<Feature, Refusal.@Nullable Lacking> all = new EnumMap<>(Feature.class);
    for (Feature feature : Feature.values()) {
      all.put(feature, lack(feature));
    }
    return all;
  }
}
