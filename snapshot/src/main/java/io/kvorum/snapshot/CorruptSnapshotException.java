package io.kvorum.snapshot;

/** A snapshot, or what arrives of one, is not what its manifest says. It must not be used. */
public final class CorruptSnapshotException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CorruptSnapshotException(String where, String what) {
    super(where + ": " + what);
  }
}
