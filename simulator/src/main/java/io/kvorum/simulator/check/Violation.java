package io.kvorum.simulator.check;

/** A promise was broken: what every run is there to find. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String checker;

  /**
   * A violation.
   *
   * @param checker whose promise it was
   * @param message what was seen, and what should have been
   */
  public Violation(String checker, String message) {
    super(message);
    this.checker = checker;
  }

  /** The name of the checker that found it. */
  public String checker() {
    return checker;
  }
}
