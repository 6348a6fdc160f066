package io.kvorum.cli.process;

/** A server process did not do what it was started for; the message says which and what. */
public final class ServerProcessException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ServerProcessException(String message) {
    super(message);
  }
}
