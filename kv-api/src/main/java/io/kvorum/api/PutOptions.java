package io.kvorum.api;

/**
 * How to put.
 *
 * @param previous whether the answer carries what the key held before
 */
public record PutOptions(boolean previous) {
  public static final PutOptions DEFAULT = new PutOptions(false);

  /** With what the key held before in the answer. */
  public PutOptions withPrevious() {
    return new PutOptions(true);
  }
}
