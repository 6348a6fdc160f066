package io.kvorum.disk;

import java.io.IOException;
import java.io.UncheckedIOException;

/** There is no space left. What was being written is not there, or only in part. */
public final class DiskFullException extends UncheckedIOException {
  private static final long serialVersionUID = 1L;

  public DiskFullException(String message, IOException cause) {
    super(message, cause);
  }
}
