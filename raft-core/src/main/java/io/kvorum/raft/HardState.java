package io.kvorum.raft;

import org.jspecify.annotations.Nullable;

/**
 * What a node must remember of elections over a crash (figure 2, "persistent state").
 *
 * @param currentTerm the latest term seen; 0 before the first
 * @param votedFor who got this node's vote in that term, or null
 */
public record HardState(long currentTerm, @Nullable NodeId votedFor) {
  /** Of a node that has seen nothing yet. */
  public static final HardState INITIAL = new HardState(0, null);

  public HardState {
    if (currentTerm < 0 || (currentTerm == 0 && votedFor != null)) {
      throw new IllegalArgumentException("vote " + votedFor + " in term " + currentTerm);
    }
  }
}
