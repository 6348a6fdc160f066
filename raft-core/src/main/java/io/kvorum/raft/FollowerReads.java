package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads on a node that does not lead: it asks the leader for an index, and answers when it knows
 * that much to be committed (thesis §6.4). All reads that queue share one question; one question is
 * open at a time, and each has its own number, so that an answer that is late or comes twice
 * confirms nothing newer.
 *
 * <p>A lost question is asked again. A read fails when no answer comes within an election timeout,
 * when what was named is not committed here within another one, or when the leader changes.
 */
final class FollowerReads {
  private record Waiting(long index, long askedNanos, List<Long> readIds, long deadlineTick) {}

  private final RaftState state;
  private final NodeId leader;
  private final ArrayDeque<Waiting> confirmed = new ArrayDeque<>();
  private List<Long> queued = new ArrayList<>();
  private List<Long> asked = List.of();
  private long attempt;
  private long askedNanos;
  private long askedTick;
  private long tick;

  FollowerReads(RaftState state, NodeId leader) {
    this.state = state;
    this.leader = leader;
  }

  int pending() {
    int waiting = 0;
    for (Waiting batch : confirmed) {
      waiting += batch.readIds().size();
    }
    return queued.size() + asked.size() + waiting;
  }

  void add(long readId) {
    queued.add(readId);
  }

  boolean isFlushDue() {
    return !queued.isEmpty() && asked.isEmpty();
  }

  /** Asks for all that has queued, unless an answer is outstanding. */
  void flush() {
    if (isFlushDue()) {
      asked = queued;
      queued = new ArrayList<>();
      attempt = state.nextAttempt();
      askedNanos = state.time.nanos();
      askedTick = tick;
      state.send(leader, new Message.ReadIndex(attempt));
    }
  }

  void tick() {
    tick++;
    while (!confirmed.isEmpty() && confirmed.getFirst().deadlineTick() <= tick) {
      confirmed.removeFirst().readIds().forEach(state::failRead);
    }
    if (asked.isEmpty()) {
      return;
    }
    long waited = tick - askedTick;
    if (waited >= state.config.electionTicks()) {
      failAsked();
    } else if (waited % state.config.heartbeatTicks() == 0) {
      state.send(leader, new Message.ReadIndex(attempt));
    }
  }

  void onResponse(Message.ReadIndexResponse response) {
    if (asked.isEmpty() || response.attempt() != attempt) {
      return;
    }
    // Whom we asked leads no more.
    if (response.index() == 0) {
      failAsked();
      return;
    }
    long deadline = tick + state.config.electionTicks();
    confirmed.add(new Waiting(response.index(), askedNanos, asked, deadline));
    asked = List.of();
    committed();
  }

  /** The commit index may have risen. The leader's indexes do not fall from one answer on. */
  void committed() {
    while (!confirmed.isEmpty() && confirmed.getFirst().index() <= state.log.commitIndex()) {
      Waiting batch = confirmed.removeFirst();
      batch.readIds().forEach(readId -> state.answerRead(readId, batch.index()));
      state.freshness.confirmed(batch.askedNanos(), batch.index());
    }
  }

  private void failAsked() {
    asked.forEach(state::failRead);
    asked = List.of();
  }

  void failAll() {
    confirmed.forEach(batch -> batch.readIds().forEach(state::failRead));
    confirmed.clear();
    failAsked();
    queued.forEach(state::failRead);
    queued.clear();
  }
}
