package io.kvorum.snapshot;

/** There is no such snapshot here, or not any more: ask for a newer one. */
public final class SnapshotGoneException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SnapshotGoneException(String name, String location) {
    super("there is no snapshot " + name + " in " + location);
  }
}
