package io.kvorum.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/** Turns what the operating system says into the exceptions of the port. */
final class IoFailure {
  private IoFailure() {}

  /** The exception to throw; its message says what was being done, and to what. */
  static UncheckedIOException of(String action, IOException cause) {
    String reason = reason(cause);
    String lower = reason.toLowerCase(Locale.ROOT);
    if (lower.contains("no space left") || lower.contains("quota exceeded")) {
      return new DiskFullException(
          "cannot " + action + ": the disk is full (" + reason + ")", cause);
    }
    return new UncheckedIOException("cannot " + action + ": " + reason, cause);
  }

  /** Of some errors the JDK says the file only, and which error it was by the type. */
  private static String reason(IOException cause) {
    String message = String.valueOf(cause.getMessage());
    if (!(cause instanceof FileSystemException error) || error.getReason() != null) {
      return message;
    }
    if (cause instanceof NoSuchFileException) {
      return message + ": No such file or directory";
    }
    if (cause instanceof AccessDeniedException) {
      return message + ": Permission denied";
    }
    if (cause instanceof FileAlreadyExistsException) {
      return message + ": File exists";
    }
    if (cause instanceof DirectoryNotEmptyException) {
      return message + ": Directory not empty";
    }
    return cause instanceof NotDirectoryException ? message + ": Not a directory" : message;
  }

  /** A store into or load from a map has hit a page that the device cannot give (F041). */
  static UncheckedIOException ofMapping(String action, InternalError fault) {
    return of(action, new IOException("the mapped file could not be reached: " + fault, fault));
  }
}
