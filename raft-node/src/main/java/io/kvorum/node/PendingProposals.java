package io.kvorum.node;

import java.util.ArrayDeque;

/**
 * Who waits for which entry, in order of index. An entry is told apart by index and term, never by
 * position: after a change of leader another entry may stand at the same index (FAULTS F021, F107).
 */
final class PendingProposals<R> {
  private record Pending<R>(long index, long term, ProposalListener<R> listener) {}

  private final ArrayDeque<Pending<R>> queue = new ArrayDeque<>();

  void add(long index, long term, ProposalListener<R> listener) {
    queue.addLast(new Pending<>(index, term, listener));
  }

  /** The entry was applied with this result. */
  void applied(long index, long term, R result) {
    Pending<R> first = queue.peekFirst();
    while (first != null && first.index <= index) {
      queue.removeFirst();
      if (first.index == index && first.term == term) {
        first.listener.applied(result);
      } else {
        // Another leader's entry stands where ours was proposed; ours went with its leadership.
        first.listener.unknown("another leader's entry took its place");
      }
      first = queue.peekFirst();
    }
  }

  /** Nobody here will learn what became of them. */
  void abandon(String why) {
    Pending<R> first;
    while ((first = queue.pollFirst()) != null) {
      first.listener.unknown(why);
    }
  }

  int size() {
    return queue.size();
  }
}
