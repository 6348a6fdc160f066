package io.kvorum.raft;

import org.jspecify.annotations.Nullable;

/**
 * What goes to disk: numbers the writes, and knows which of them carries the latest term and vote.
 */
final class Writes {
  private final RaftLog log;
  private @Nullable HardState changed;
  private long handedSequence;
  private long durableSequence;
  private long hardStateSequence;

  Writes(RaftLog log) {
    this.log = log;
  }

  /** The next write carries this state. */
  void change(HardState hardState) {
    changed = hardState;
    hardStateSequence = handedSequence + 1;
  }

  /**
   * The write that must be durable before anything that is said now may leave: it carries the
   * latest term and vote (figure 2, "updated on stable storage before responding").
   */
  long hardStateSequence() {
    return hardStateSequence;
  }

  boolean hardStateIsDurable() {
    return hardStateSequence <= durableSequence;
  }

  long durableSequence() {
    return durableSequence;
  }

  /** Whether a write that was handed over is not durable yet. */
  boolean isUnderWay() {
    return durableSequence < handedSequence;
  }

  boolean isPending() {
    return changed != null || log.hasUnwritten();
  }

  /** Hands over what has changed since the last call, or null if nothing has. */
  Ready.@Nullable Write take() {
    if (!isPending()) {
      return null;
    }
    handedSequence++;
    HardState hardState = changed;
    changed = null;
    return new Ready.Write(handedSequence, hardState, log.takeUnwritten(handedSequence));
  }

  /** Whether that was news. */
  boolean durable(long sequence) {
    InvariantViolation.check(sequence <= handedSequence, "only a write handed out becomes durable");
    if (sequence <= durableSequence) {
      return false;
    }
    durableSequence = sequence;
    log.durable(sequence);
    return true;
  }
}
