package io.kvorum.log;

/** A file of an archive is damaged, or entries are missing between two. The message says which. */
public final class CorruptArchiveException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CorruptArchiveException(String message) {
    super(message);
  }
}
