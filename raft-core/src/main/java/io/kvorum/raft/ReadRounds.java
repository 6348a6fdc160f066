package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads without a log entry (§8, thesis §6.4): the leader notes its commit index, makes sure that
 * it still led after the read arrived, and lets the read see at least that index. All reads that
 * arrived meanwhile share one round; each has its own number in the term, so an old answer confirms
 * nothing newer. What other members ask for shares the rounds too.
 *
 * <p>No more than {@link #OPEN_MAX} rounds wait for answers: later reads wait for the next one, so
 * that slow followers do not make them pile up.
 */
final class ReadRounds {
  /** A few, so that rounds overlap when a round trip takes longer than a turn of the loop. */
  static final int OPEN_MAX = 4;

  /**
   * @param asked by other members, with the number of each one's question
   */
  private record Round(
      long number,
      long index,
      long startNanos,
      List<Long> readIds,
      SortedMap<NodeId, Long> asked) {}

  private final RaftState state;
  private final ArrayDeque<Round> open = new ArrayDeque<>();
  private List<Long> queued = new ArrayList<>();
  private SortedMap<NodeId, Long> asked = new TreeMap<>();
  private long newest;
  private int pending;

  ReadRounds(RaftState state) {
    this.state = state;
  }

  /** Reads of this node that are neither answered nor failed. */
  int pending() {
    return pending;
  }

  boolean isIdle() {
    return open.isEmpty();
  }

  boolean hasQueued() {
    return !queued.isEmpty() || !asked.isEmpty();
  }

  /** The number of the newest round, from 1; 0 before the first. */
  long newest() {
    return newest;
  }

  void add(long readId) {
    queued.add(readId);
    pending++;
  }

  /** A member asks one question at a time: a newer one replaces what it has given up. */
  void ask(NodeId from, long attempt) {
    asked.merge(from, attempt, Math::max);
  }

  boolean canStart() {
    return open.size() < OPEN_MAX;
  }

  void start(long commitIndex) {
    newest++;
    open.add(new Round(newest, commitIndex, state.time.nanos(), queued, asked));
    queued = new ArrayList<>();
    asked = new TreeMap<>();
  }

  /** A round that no read waits for. */
  void startEmpty() {
    newest++;
  }

  /** A majority has answered this round, and so all earlier ones. */
  void confirmed(long number) {
    while (!open.isEmpty() && open.getFirst().number() <= number) {
      Round round = open.removeFirst();
      for (long readId : round.readIds()) {
        state.answerRead(readId, round.index());
      }
      round.asked().forEach((member, attempt) -> answer(member, attempt, round.index()));
      state.freshness.confirmed(round.startNanos(), round.index());
      pending -= round.readIds().size();
    }
  }

  private void answer(NodeId member, long attempt, long index) {
    state.send(member, new Message.ReadIndexResponse(attempt, index));
  }

  /** What other members asked ends with the leader that they see change. */
  void failAll() {
    for (Round round : open) {
      round.readIds().forEach(state::failRead);
    }
    queued.forEach(state::failRead);
    open.clear();
    queued.clear();
    asked.clear();
    pending = 0;
  }
}
