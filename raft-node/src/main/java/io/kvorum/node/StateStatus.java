package io.kvorum.node;

import org.jspecify.annotations.Nullable;

/**
 * What a node knows about whether its state is that of the others.
 *
 * @param phase what it does about it
 * @param divergences how often a majority has found its state to be wrong, since its data directory
 *     was made
 * @param last why it is quarantined; else what was found the last of these times; null if nothing
 * @param alarm on a leader: that members disagree, and no majority says who is right
 */
public record StateStatus(
    Phase phase, int divergences, @Nullable StateFinding last, @Nullable String alarm) {
  /** Of a node that does not compare. */
  public static final StateStatus NONE = new StateStatus(Phase.SERVING, 0, null, null);

  /** The way out of a quarantine. */
  public enum Phase {
    /** Not quarantined. */
    SERVING,
    /** Quarantined; that is being written down, and the wrong state kept as evidence. */
    MARKING,
    /** Quarantined, and waiting for a leader that has a right state to offer. */
    WAITING,
    /** A snapshot is arriving. */
    FETCHING,
    /** It is being installed. */
    REBUILDING
  }

  /** Whether nothing of its state may be believed. */
  public boolean isQuarantined() {
    return phase != Phase.SERVING;
  }
}
