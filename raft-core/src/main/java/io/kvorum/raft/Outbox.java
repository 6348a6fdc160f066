package io.kvorum.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages on their way out. Those that rest on a term or a vote that is not durable yet wait here:
 * a vote forgotten in a crash could elect two leaders (FAULTS F001).
 */
final class Outbox {
  /** More than this wait only while a disk hangs. Any message may be lost, so the oldest go. */
  static final int HELD_MAX = 1024;

  private record Held(long sequence, Envelope envelope) {}

  private List<Envelope> ready = new ArrayList<>();
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  /** Sends the message once the write with this sequence is durable. Sequences never fall. */
  void add(Envelope envelope, long sequence, long durableSequence) {
    if (sequence <= durableSequence) {
      ready.add(envelope);
      return;
    }
    if (held.size() == HELD_MAX) {
      held.removeFirst();
    }
    held.add(new Held(sequence, envelope));
  }

  void durable(long sequence) {
    while (!held.isEmpty() && held.getFirst().sequence() <= sequence) {
      ready.add(held.removeFirst().envelope());
    }
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  List<Envelope> take() {
    if (ready.isEmpty()) {
      return List.of();
    }
    List<Envelope> taken = ready;
    ready = new ArrayList<>();
    return taken;
  }
}
