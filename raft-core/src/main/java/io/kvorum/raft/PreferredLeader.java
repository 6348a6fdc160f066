package io.kvorum.raft;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides when this leader stands aside for one that ranks above it in {@link
 * RaftConfig#preferredLeaders}: for the best-ranked voter that is heard and has kept up for an
 * election timeout. After an attempt that failed, the pause before the next one doubles.
 */
final class PreferredLeader {
  private static final int PAUSE_ELECTIONS = 4;
  private static final int DOUBLINGS_MAX = 5;

  private final RaftState state;
  private final List<NodeId> better;
  private final SortedMap<NodeId, Integer> caughtUpTicks = new TreeMap<>();
  private long commitIndexBefore;
  private int attempts;
  private int pauseTicks;

  PreferredLeader(RaftState state) {
    this.state = state;
    List<NodeId> ranking = state.config.preferredLeaders();
    int own = ranking.indexOf(state.self());
    better = own < 0 ? ranking : ranking.subList(0, own);
    commitIndexBefore = Long.MAX_VALUE;
  }

  /**
   * A tick has passed.
   *
   * @param mayHandOver whether nothing stands in the way of a transfer
   * @return whom to hand over to now, or null
   */
  @Nullable NodeId tick(Map<NodeId, Progress> progress, boolean mayHandOver) {
    if (better.isEmpty()) {
      return null;
    }
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
    return mayHandOver ? choose() : null;
  }

  private @Nullable NodeId choose() {
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
