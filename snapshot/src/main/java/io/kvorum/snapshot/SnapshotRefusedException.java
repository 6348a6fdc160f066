package io.kvorum.snapshot;

/** A snapshot is whole, but not for this node: of another cluster, or of a newer version. */
public final class SnapshotRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SnapshotRefusedException(String message) {
    super(message);
  }
}
