package io.kvorum.cli;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.LineInput;
import io.kvorum.cli.transfer.MalformedRecordException;
import io.kvorum.cli.transfer.Text;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Lines of a file or a pipe: nobody is prompted, and Ctrl-C ends the process. */
final class PipedLines implements ShellLines {
  private final LineInput lines;

  PipedLines(InputStream in) {
    this.lines = new LineInput(new BufferedInputStream(in));
  }

  @Override
  public @Nullable String next(String prompt) throws IOException {
    byte[] line;
    try {
      line = lines.next();
    } catch (MalformedRecordException tooLong) {
      throw CommandFailure.usage(String.valueOf(tooLong.getMessage()));
    }
    if (line == null) {
      return null;
    }
    String text = Text.utf8OrNull(Bytes.wrapUnsafe(line));
    if (text == null) {
      throw CommandFailure.usage("line " + lines.line() + " is not UTF-8");
    }
    return text;
  }

  @Override
  public int run(Command command) {
    return command.run();
  }

  @Override
  public void close() {
    // The stream is the process's own.
  }
}
