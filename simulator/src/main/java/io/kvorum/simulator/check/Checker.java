package io.kvorum.simulator.check;

import io.kvorum.simulator.trace.SimEvent;

/**
 * Watches a run for one promise. Sees every event once, in order; keeps what it needs. A checker
 * belongs to one run.
 */
public interface Checker {
  /** Its name, as reports show it. */
  String name();

  /**
   * Something has happened.
   *
   * @throws Violation if the promise is broken; the run ends there
   */
  void on(SimEvent event);

  /**
   * The run has ended, healed and quiet.
   *
   * @throws Violation if the run as a whole breaks the promise
   */
  default void atEnd() {}
}
