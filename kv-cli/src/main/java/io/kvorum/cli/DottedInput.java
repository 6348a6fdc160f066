package io.kvorum.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;

/**
 * The standard input of a command in the shell: the lines that follow, up to one that is a single
 * dot. It takes a line only when it is asked for one, so that the shell gets the rest. Lines that
 * end without the dot were cut off: who reads them gets a failure, and not a part for the whole.
 */
final class DottedInput extends InputStream {
  private static final String END = ".";

  private final ShellLines lines;
  private byte[] line = {};
  private int position;
  private boolean isOver;

  DottedInput(ShellLines lines) {
    this.lines = lines;
  }

  @Override
  public int read() throws IOException {
    return fill() ? line[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int some = Math.min(length, line.length - position);
    System.arraycopy(line, position, into, offset, some);
    position += some;
    return some;
  }

  private boolean fill() throws IOException {
    if (position == line.length && !isOver) {
      String next = lines.next("> ");
      if (next == null) {
        throw CommandFailure.usage(
            "the input ended before the line with a single dot; nothing was executed");
      }
      isOver = next.equals(END);
      line = isOver ? new byte[0] : (next + '\n').getBytes(UTF_8);
      position = 0;
    }
    return position < line.length;
  }
}
