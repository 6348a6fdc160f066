package io.kvorum.client;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The calls that no link has, in the order in which they are to be sent. Belongs to the loop. */
final class WaitingCalls {
  private final TreeMap<Long, Call<?>> inOrder = new TreeMap<>();
  private long nextOrder;
  private long nextOwnOrder = Long.MIN_VALUE;

  /** A new one: behind all others, but one of the client's own before those of its callers. */
  void accept(Call<?> call) {
    call.order = call.isOwn ? nextOwnOrder++ : nextOrder++;
    add(call);
  }

  /** One that is to be sent again: before all that came after it. */
  void add(Call<?> call) {
    inOrder.put(call.order, call);
  }

  boolean isEmpty() {
    return inOrder.isEmpty();
  }

  /** Whose turn it is; there is one. */
  Call<?> first() {
    return inOrder.firstEntry().getValue();
  }

  /** Does nothing if it does not wait. */
  void remove(Call<?> call) {
    inOrder.remove(call.order, call);
  }

  /** All of them, in order; none waits any longer. */
  List<Call<?>> takeAll() {
    List<Call<?>> all = new ArrayList<>(inOrder.values());
    inOrder.clear();
    return all;
  }

  /** Those that any member may answer, and whose callers still want that; they wait no longer. */
  List<Call<?>> takeStale() {
    List<Call<?>> stale = new ArrayList<>();
    for (Call<?> call : inOrder.values()) {
      if (call.request.mayBeStale() && !call.future.isDone()) {
        stale.add(call);
      }
    }
    stale.forEach(this::remove);
    return stale;
  }
}
