package io.kvorum.raft;

import java.util.List;

/**
 * Names committed entries to the state machine: each once, in order, and not more than it can keep
 * up with. Where it stands does not touch the commit index (FAULTS F020).
 *
 * <p>Only entries that are durable here are named. A majority without us may hold one earlier, but
 * the state machine could then make its effect durable before our log holds the entry; after a
 * crash in between, the state would stand for entries that the log has lost.
 */
final class CommittedEntries {
  private final RaftLog log;
  private final long bytesMax;
  private final EntrySizes unapplied = new EntrySizes();
  private long namedIndex;
  private long appliedIndex;

  /** The next entry did not fit; whether it does can change only when some are applied. */
  private boolean blocked;

  /** Nothing is named until the state machine has been replaced. */
  private boolean halted;

  CommittedEntries(RaftLog log, long appliedIndex, long bytesMax) {
    this.log = log;
    this.bytesMax = bytesMax;
    this.appliedIndex = appliedIndex;
    namedIndex = appliedIndex;
  }

  long appliedIndex() {
    return appliedIndex;
  }

  boolean isPending() {
    return !halted && namedIndex < end() && unapplied.bytes() < bytesMax && !blocked;
  }

  private long end() {
    return Math.min(log.commitIndex(), log.durableIndex());
  }

  List<Entry> take() {
    if (!isPending()) {
      return List.of();
    }
    long budget = bytesMax - unapplied.bytes();
    List<Entry> entries = log.entries(namedIndex + 1, end() + 1, budget);
    if (entries.get(0).sizeBytes() > budget && !unapplied.isEmpty()) {
      blocked = true;
      return List.of();
    }
    for (Entry entry : entries) {
      unapplied.add(entry);
    }
    namedIndex += entries.size();
    log.named(namedIndex);
    return entries;
  }

  /**
   * The state machine takes nothing more, and has dropped what it was given and has not applied.
   */
  void halt() {
    halted = true;
  }

  boolean isHalted() {
    return halted;
  }

  /** The state machine was replaced by what stands for the entries up to {@code index}. */
  void installed(long index) {
    unapplied.removeTo(Long.MAX_VALUE);
    namedIndex = index;
    log.named(index);
    appliedIndex = index;
    blocked = false;
    halted = false;
  }

  void applied(long index) {
    InvariantViolation.check(index <= namedIndex, "only a named entry is applied");
    if (index > appliedIndex) {
      appliedIndex = index;
      unapplied.removeTo(index);
      blocked = false;
    }
  }
}
