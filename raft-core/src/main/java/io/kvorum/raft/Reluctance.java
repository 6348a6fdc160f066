package io.kvorum.raft;

import java.util.Set;

/**
 * Who should not lead if somebody else can, since it is short of something that only it knows of,
 * for instance of space on its disk. It votes, acknowledges, and can be elected; it only lets the
 * others go first, and as a leader stands aside for them ({@link PreferredLeader}).
 */
final class Reluctance {
  /**
   * How much longer it bears the silence of a leader, in election timeouts: as long as the most
   * patient of the others, and that one's campaign.
   */
  private static final int PATIENCE = 2;

  private final RaftConfig config;
  private final Configuration configuration;
  private Set<NodeId> nodes = Set.of();

  Reluctance(RaftConfig config, Configuration configuration) {
    this.config = config;
    this.configuration = configuration;
  }

  /** Whether that changed anything. */
  boolean replace(Set<NodeId> reluctant) {
    boolean isNews = !nodes.equals(reluctant);
    nodes = Set.copyOf(reluctant);
    return isNews;
  }

  boolean isReluctant(NodeId node) {
    return nodes.contains(node);
  }

  boolean isOwn() {
    return nodes.contains(config.self());
  }

  /** Whether those who are not reluctant could commit something without the others. */
  boolean sparesMajority() {
    return nodes.isEmpty()
        || configuration.membership().isEmpty()
        || configuration.electorate().reached(voter -> nodes.contains(voter) ? 0 : 1) > 0;
  }

  /** What this node adds to its election timeout. It ends: nobody may be left to lead. */
  int addedTicks() {
    return isOwn() ? PATIENCE * config.electionTicks() : 0;
  }
}
