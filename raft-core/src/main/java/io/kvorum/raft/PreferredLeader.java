package io.kvorum.raft;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides when this leader stands aside for one that should rather lead: for the best of those who
 * are heard and have kept up for an election timeout. Better are those who rank above it in {@link
 * RaftConfig#preferredLeaders}; if it leads {@linkplain Reluctance reluctantly}, every voter that
 * would not. After an attempt that failed, the pause before the next one doubles.
 */
final class PreferredLeader {
  private static final int PAUSE_ELECTIONS = 4;
  private static final int DOUBLINGS_MAX = 5;

  private final RaftState state;
  private final List<NodeId> ranking;
  private final SortedMap<NodeId, Integer> caughtUpTicks = new TreeMap<>();
  private boolean wasReluctant;
  private long commitIndexBefore;
  private int attempts;
  private int pauseTicks;

  PreferredLeader(RaftState state) {
    this.state = state;
    List<NodeId> all = state.config.preferredLeaders();
    int own = all.indexOf(state.self());
    ranking = own < 0 ? all : all.subList(0, own);
    commitIndexBefore = Long.MAX_VALUE;
  }

  /**
   * A tick has passed.
   *
   * @param mayHandOver whether nothing stands in the way of a transfer
   * @return whom to hand over to now, or null
   */
  @Nullable NodeId tick(Map<NodeId, Progress> progress, boolean mayHandOver) {
    boolean isReluctant = state.reluctance.isOwn();
    if (isReluctant != wasReluctant) {
      // It is about something else now, so earlier attempts say nothing.
      wasReluctant = isReluctant;
      attempts = 0;
      pauseTicks = 0;
    }
    List<NodeId> better = better(isReluctant);
    caughtUpTicks.keySet().retainAll(better);
    for (NodeId node : better) {
      Progress p = progress.get(node);
      boolean keepsUp =
          p != null
              && p.isActive(state.config.electionTicks())
              && p.matchIndex() >= commitIndexBefore;
      caughtUpTicks.put(node, keepsUp ? caughtUpTicks.getOrDefault(node, 0) + 1 : 0);
    }
    commitIndexBefore = state.log.commitIndex();
    if (pauseTicks > 0) {
      pauseTicks--;
      return null;
    }
    return mayHandOver ? choose(better) : null;
  }

  /** Who should rather lead, best first. */
  private List<NodeId> better(boolean isReluctant) {
    if (!isReluctant && ranking.isEmpty()) {
      return ranking;
    }
    Set<NodeId> candidates = new LinkedHashSet<>(ranking);
    if (isReluctant) {
      candidates.addAll(state.config.preferredLeaders());
      candidates.addAll(state.configuration.electorate().all());
      candidates.remove(state.self());
    }
    candidates.removeIf(state.reluctance::isReluctant);
    return List.copyOf(candidates);
  }

  private @Nullable NodeId choose(List<NodeId> better) {
    for (NodeId node : better) {
      boolean ready = caughtUpTicks.getOrDefault(node, 0) >= state.config.electionTicks();
      if (ready && state.configuration.isVoter(node)) {
        pauseTicks = (PAUSE_ELECTIONS * state.config.electionTicks()) << attempts;
        attempts = Math.min(attempts + 1, DOUBLINGS_MAX);
        return node;
      }
    }
    return null;
  }
}
