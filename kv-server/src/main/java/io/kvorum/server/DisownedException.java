package io.kvorum.server;

/**
 * Most members know this node's name with another data directory, and refuse this one: it has lost
 * its votes and its log. It can take no part, so it stops instead of running on as if it were empty
 * (FAULTS F048).
 */
public final class DisownedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DisownedException(String message) {
    super(message);
  }
}
