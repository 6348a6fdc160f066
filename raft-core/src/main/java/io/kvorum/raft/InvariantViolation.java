package io.kvorum.raft;

/** A promise of the protocol does not hold: a bug, or state changed behind our back. Stop. */
public final class InvariantViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvariantViolation(String message) {
    super(message);
  }

  /** Throws when the condition does not hold. Always on. */
  public static void check(boolean condition, String promise) {
    if (!condition) {
      throw new InvariantViolation("broken: " + promise);
    }
  }
}
