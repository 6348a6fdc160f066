package io.kvorum.node.netty;

/** What came in is not what the protocol allows: the connection cannot be trusted any further. */
final class BadFrame extends Exception {
  private static final long serialVersionUID = 1L;

  /** Without a stack trace: whoever sends garbage decides how often this is made. */
  BadFrame(String message) {
    super(message, null, false, false);
  }
}
