package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.ClientOperation;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * The revision that one client sees never falls, and each of its writes is above all before. Reads
 * that may be stale are left out.
 */
public final class SessionMonotonic implements Checker {
  private final Map<Integer, Long> revisions = new HashMap<>();
  private final Map<Long, ClientOperation> open = new HashMap<>();

  @Override
  public String name() {
    return "SessionMonotonic";
  }

  @Override
  public void on(SimEvent event) {
    if (event instanceof SimEvent.Called called) {
      open.put(called.operation(), called.call());
    } else if (event instanceof SimEvent.Returned returned) {
      ClientOperation call = open.remove(returned.operation());
      boolean promises = !(call instanceof ClientOperation.StaleGet);
      if (promises && returned.outcome() instanceof ClientOutcome.Done done) {
        done(returned.client(), call != null && call.hasChanged(done), done);
      }
    }
  }

  private void done(int client, boolean writes, ClientOutcome.Done done) {
    long seen = revisions.getOrDefault(client, 0L);
    if (done.revision() < seen || (writes && done.revision() == seen)) {
      throw new Violation(
          name(),
          "client %d had seen revision %d, and is now given %d by a %s"
              .formatted(client, seen, done.revision(), writes ? "write" : "read"));
    }
    revisions.put(client, done.revision());
  }
}
