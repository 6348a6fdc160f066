package io.kvorum.log;

/** What calls after close meet. */
final class LogClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  LogClosedException() {
    super("the log is closed");
  }
}
