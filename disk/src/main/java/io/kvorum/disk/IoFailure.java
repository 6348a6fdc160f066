package io.kvorum.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Turns what the operating system says into the exceptions of the port. */
final class IoFailure {
  private IoFailure() {}

  /** The exception to throw; its message says what was being done, and to what. */
  static UncheckedIOException of(String action, IOException cause) {
    String reason = String.valueOf(cause.getMessage());
    String lower = reason.toLowerCase(Locale.ROOT);
    if (lower.contains("no space left") || lower.contains("quota exceeded")) {
      return new DiskFullException(
          "cannot " + action + ": the disk is full (" + reason + ")", cause);
    }
    return new UncheckedIOException("cannot " + action + ": " + reason, cause);
  }

  /** A store into or load from a map has hit a page that the device cannot give (F041). */
  static UncheckedIOException ofMapping(String action, InternalError fault) {
    return of(action, new IOException("the mapped file could not be reached: " + fault, fault));
  }
}
