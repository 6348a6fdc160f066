package io.kvorum.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What the tables hold is damaged. They are of no use any more, now or later: whoever opens them
 * next is told the same, until others have been put in their place.
 */
public final class CorruptTablesException extends UncheckedIOException {
  private static final long serialVersionUID = 1L;

  public CorruptTablesException(String message, IOException cause) {
    super(message, cause);
  }
}
