package io.kvorum.server.store;

/**
 * What was read from is not the state any more: a snapshot was installed in its place. Whoever
 * reads again reads the new one (FAULTS F099).
 */
public final class StateReplacedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  StateReplacedException(String what) {
    super(what + " was replaced by a snapshot; what was being read is to be read again");
  }
}
