package io.kvorum.api;

/**
 * How to delete.
 *
 * @param previous whether the answer carries what was deleted
 */
public record DeleteOptions(boolean previous) {
  public static final DeleteOptions DEFAULT = new DeleteOptions(false);

  /** With what was deleted in the answer. */
  public DeleteOptions withPrevious() {
    return new DeleteOptions(true);
  }
}
