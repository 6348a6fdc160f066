package io.kvorum.server.backup;

/**
 * A backup, or what was to be made of one, cannot be used: it is damaged, is none, or is not what
 * was asked for. The message says which file, and what to do.
 */
public final class BackupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public BackupException(String message) {
    super(message);
  }

  public BackupException(String message, Throwable cause) {
    super(message, cause);
  }
}
