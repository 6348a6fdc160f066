package io.kvorum.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where the shell's lines come from. */
interface ShellLines extends AutoCloseable {
  /** The next line without its end, or null at the end of the input. */
  @Nullable String next(String prompt) throws IOException;

  /**
   * Runs a command, which a Ctrl-C interrupts if a person types the lines; returns its exit code.
   */
  int run(Command command);

  @Override
  void close() throws IOException;

  /** What a line says to do. */
  @FunctionalInterface
  interface Command {
    /** Returns the exit code. */
    int run();
  }
}
