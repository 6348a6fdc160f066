package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads without a log entry (§8, thesis §6.4): the leader notes its commit index, makes sure that
 * it still led after the read arrived, and lets the read see at least that index. All reads that
 * arrived meanwhile share one round; each has its own number in the term, so an old answer confirms
 * nothing newer.
 */
final class ReadRounds {
  private record Round(long number, long index, List<Long> readIds) {}

  private final RaftState state;
  private final ArrayDeque<Round> open = new ArrayDeque<>();
  private List<Long> queued = new ArrayList<>();
  private long newest;
  private int pending;

  ReadRounds(RaftState state) {
    this.state = state;
  }

  /** Reads that are neither answered nor failed. */
  int pending() {
    return pending;
  }

  boolean isIdle() {
    return open.isEmpty();
  }

  boolean hasQueued() {
    return !queued.isEmpty();
  }

  /** The number of the newest round, from 1; 0 before the first. */
  long newest() {
    return newest;
  }

  void add(long readId) {
    queued.add(readId);
    pending++;
  }

  void start(long commitIndex) {
    newest++;
    open.add(new Round(newest, commitIndex, queued));
    queued = new ArrayList<>();
  }

  /** A majority has answered this round, and so all earlier ones. */
  void confirmed(long number) {
    while (!open.isEmpty() && open.getFirst().number() <= number) {
      Round round = open.removeFirst();
      for (long readId : round.readIds()) {
        state.answerRead(readId, round.index());
      }
      pending -= round.readIds().size();
    }
  }

  void failAll() {
    for (Round round : open) {
      round.readIds().forEach(state::failRead);
    }
    queued.forEach(state::failRead);
    open.clear();
    queued.clear();
    pending = 0;
  }
}
