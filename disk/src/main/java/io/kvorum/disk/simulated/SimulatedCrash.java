package io.kvorum.disk.simulated;

/** The simulated machine has lost power: an error, so that no handler of failures survives it. */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  SimulatedCrash(String message) {
    super(message);
  }
}
