package io.kvorum.bench.store;

/** A system has given back something else than it was given. */
public final class WrongValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is wrong, for a reader. */
  public WrongValueException(String message) {
    super(message);
  }
}
