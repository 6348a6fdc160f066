package io.kvorum.raft;

import org.jspecify.annotations.Nullable;

/**
 * What a node must remember of elections over a crash (figure 2, "persistent state").
 *
 * @param currentTerm the latest term seen; 0 before the first
 * @param votedFor who got this node's vote in that term, or null
 * @param lostTerm the node has lost entries that it promised to keep, in this term or an earlier
 *     one; 0: it has lost nothing. Smaller than the current term, so that nothing of what it says
 *     now is about those
 */
public record HardState(long currentTerm, @Nullable NodeId votedFor, long lostTerm) {
  /** Of a node that has seen nothing yet. */
  public static final HardState INITIAL = new HardState(0, null);

  public HardState {
    if (currentTerm < 0 || (currentTerm == 0 && votedFor != null)) {
      throw new IllegalArgumentException("vote " + votedFor + " in term " + currentTerm);
    }
    if (lostTerm < 0 || (lostTerm > 0 && lostTerm >= currentTerm)) {
      throw new IllegalArgumentException(
          "entries of term " + lostTerm + " lost in term " + currentTerm);
    }
  }

  /** Of a node that has lost nothing. */
  public HardState(long currentTerm, @Nullable NodeId votedFor) {
    this(currentTerm, votedFor, 0);
  }

  /** Whether entries may be missing that the node has promised to keep. */
  public boolean hasLost() {
    return lostTerm > 0;
  }

  /**
   * Of a node that is about to lose entries, whichever: all that it can have promised it has
   * promised in the current term or before, and the next one is new to it.
   */
  public HardState losing() {
    long lost = Math.max(currentTerm, 1);
    return new HardState(lost + 1, null, lost);
  }
}
