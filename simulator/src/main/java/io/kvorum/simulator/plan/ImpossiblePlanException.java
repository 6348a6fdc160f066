package io.kvorum.simulator.plan;

/** No world can be made of a plan; the message says why. Nothing has been run. */
public final class ImpossiblePlanException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Because of what was thrown when the world was made. */
  public ImpossiblePlanException(RuntimeException cause) {
    super("no world can be made of the plan: " + cause, cause);
  }
}
