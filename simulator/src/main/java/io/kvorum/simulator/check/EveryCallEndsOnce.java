package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;
import java.util.TreeMap;

/** Every call of a client ends, once, and for the client that made it. */
public final class EveryCallEndsOnce implements Checker {
  private final TreeMap<Long, SimEvent.Called> open = new TreeMap<>();
  private long lastOperation = -1;

  @Override
  public String name() {
    return "EveryCallEndsOnce";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Called called) {
      if (open.put(called.operation(), called) != null) {
        throw new Violation(name(), "operation " + called.operation() + " is called twice");
      }
      lastOperation = Math.max(lastOperation, called.operation());
    } else if (event instanceof SimEvent.Returned returned) {
      SimEvent.Called called = open.remove(returned.operation());
      if (called == null) {
        String what =
            returned.operation() > lastOperation ? "was never called" : "has ended before";
        throw new Violation(name(), "operation " + returned.operation() + " ends, but " + what);
      }
      if (called.client() != returned.client()) {
        throw new Violation(
            name(),
            "operation %d of client %d ends for client %d"
                .formatted(returned.operation(), called.client(), returned.client()));
      }
    }
  }

  @Override
  public void atEnd() {
    if (!open.isEmpty()) {
      SimEvent.Called oldest = open.firstEntry().getValue();
      throw new Violation(name(), open.size() + " calls have no end; the oldest is " + oldest);
    }
  }
}
