package io.kvorum.simulator.run;

import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.trace.SimEvent;

/** Counts events; promises nothing. */
final class EventCount implements Checker {
  private long events;

  @Override
  public String name() {
    return "EventCount";
  }

  @Override
  public void on(SimEvent event) {
    events++;
  }

  long events() {
    return events;
  }
}
