package io.kvorum.cli.transfer;

import java.io.IOException;

/** A record that does not follow its format; the message names the line. */
public final class MalformedRecordException extends IOException {
  private static final long serialVersionUID = 1L;

  MalformedRecordException(long line, String problem) {
    super("line " + line + ": " + problem);
  }
}
