package io.kvorum.node;

/**
 * A data directory cannot be used as it is: of another cluster or node, or with a part missing.
 * Nothing in it was changed. The message says what was found and what to do.
 */
public final class DataDirectoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DataDirectoryException(String message) {
    super(message);
  }
}
