package io.kvorum.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jline.reader.Completer;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** Lines that a person types, edits, completes, and finds again in a history. */
final class EditedLines implements ShellLines {
  private final org.jline.terminal.Terminal terminal;
  private final LineReader reader;

  /**
   * On a terminal that is closed with it.
   *
   * @param history the file that lines are kept in; null: none
   */
  EditedLines(org.jline.terminal.Terminal terminal, Completer completer, @Nullable Path history) {
    this.terminal = terminal;
    LineReaderBuilder builder =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("kvorum")
            .completer(completer)
            // An exclamation mark is a part of a value, not a word of the line before.
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true);
    if (history != null) {
      builder.variable(LineReader.HISTORY_FILE, history);
    }
    this.reader = builder.build();
  }

  /** On the terminal of this process, be it a dumb one. */
  static EditedLines ofProcess(Completer completer, @Nullable Path history) throws IOException {
    if (history != null) {
      keepPrivate(history);
    }
    return new EditedLines(
        TerminalBuilder.builder()
            .system(true)
            .dumb(true)
            .nativeSignals(true)
            .signalHandler(SignalHandler.SIG_IGN)
            .build(),
        completer,
        history);
  }

  /** Values may be secrets: nobody else reads what was typed. */
  static void keepPrivate(Path history) throws IOException {
    boolean isPosix = history.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (isPosix && Files.notExists(history)) {
      Files.createFile(
          history,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
  }

  @Override
  public @Nullable String next(String prompt) {
    try {
      return reader.readLine(prompt);
    } catch (UserInterruptException abandoned) {
      return "";
    } catch (EndOfFileException end) {
      return null;
    }
  }

  @Override
  public int run(Command command) {
    Thread here = Thread.currentThread();
    SignalHandler before = terminal.handle(Signal.INT, signal -> here.interrupt());
    try {
      return command.run();
    } finally {
      terminal.handle(Signal.INT, before);
      // A Ctrl-C was for the command, not for the next line.
      boolean unused = Thread.interrupted();
    }
  }

  @Override
  public void close() throws IOException {
    terminal.close();
  }
}
