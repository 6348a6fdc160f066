package io.kvorum.cli.demo;

/** What the demonstration promised did not come true; the message says what, in one line. */
public final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DemoFailure(String message) {
    super(message);
  }
}
