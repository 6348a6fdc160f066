package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A read that may be stale within a bound knows of all writes that were acknowledged so long before
 * it was called. The bound is measured by the clock of the member that answers, which may run
 * slower than ours.
 */
public final class BoundedStaleness implements Checker {
  /** By which a clock in the simulation is slower, at most, and a little more. */
  private static final double SLOWER = 1.06;

  private final Map<Long, SimEvent.Called> open = new HashMap<>();

  /** When a revision was first known to a client; both rise. */
  private final TreeMap<Long, Long> knownAt = new TreeMap<>();

  @Override
  public String name() {
    return "BoundedStaleness";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Called called) {
      open.put(called.operation(), called);
    } else if (event instanceof SimEvent.Returned returned) {
      SimEvent.Called called = open.remove(returned.operation());
      if (called == null || !(returned.outcome() instanceof ClientOutcome.Done done)) {
        return;
      }
      if (called.call() instanceof ClientOperation.StaleGet read) {
        check(called.atNanos(), read, done);
      }
      Map.Entry<Long, Long> newest = knownAt.lastEntry();
      if (newest == null || done.revision() > newest.getValue()) {
        knownAt.put(returned.atNanos(), done.revision());
      }
    }
  }

  private void check(long calledAt, ClientOperation.StaleGet read, ClientOutcome.Done done) {
    Map.Entry<Long, Long> due = knownAt.lowerEntry(calledAt - (long) (read.boundNanos() * SLOWER));
    if (due != null && done.revision() < due.getValue()) {
      throw new Violation(
          name(),
          "%s, called at %d ns, was answered at revision %d, but %d was known at %d ns"
              .formatted(read, calledAt, done.revision(), due.getValue(), due.getKey()));
    }
  }
}
