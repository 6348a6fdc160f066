package io.kvorum.raft;

/**
 * How fresh this node's state is known to be: it knows an index that held all that was committed at
 * a moment of its own clock. What was committed stays so, hence this survives changes of role and
 * term, and it needs nobody else's clock: the moment is when this node began to ask.
 */
final class Freshness {
  private final CoreTime time;
  private boolean isKnown;
  private long sinceNanos;
  private long index;

  Freshness(CoreTime time) {
    this.time = time;
  }

  /**
   * @param askedNanos when the question left, or earlier
   * @param readIndex the answer; committed here
   */
  void confirmed(long askedNanos, long readIndex) {
    if (time.isKnown() && (!isKnown || askedNanos - sinceNanos >= 0)) {
      isKnown = true;
      sinceNanos = askedNanos;
      index = readIndex;
    }
  }

  /**
   * Whether a state at {@link #index} holds all that was committed that long ago. Any state holds
   * what was committed {@link Long#MAX_VALUE} ago.
   */
  boolean isWithin(long boundNanos) {
    return boundNanos == Long.MAX_VALUE || (isKnown && time.nanos() - sinceNanos <= boundNanos);
  }

  /** 0: nothing is known. */
  long index() {
    return index;
  }
}
