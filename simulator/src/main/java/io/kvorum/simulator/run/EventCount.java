package io.kvorum.simulator.run;

import io.kvorum.simulator.check.Checker;
import io.kvorum.simulator.trace.SimEvent;

/** Counts events; promises nothing. */
public final class EventCount implements Checker {
  private long events;

  @Override
  public String name() {
    return "EventCount";
  }

  @Override
  public void on(SimEvent event) {
    events++;
  }

  /** How many have happened so far. */
  public long events() {
    return events;
  }
}
