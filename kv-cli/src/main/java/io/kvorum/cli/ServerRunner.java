package io.kvorum.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the command line meets the server's module. */
final class ServerRunner {
  /** A setting of the server; its flag is {@code --name}. */
  record Flag(String name, String defaultValue, String description) {}

  List<Flag> flags() {
    return List.of();
  }

  /**
   * Runs a node until it is told to end; returns the exit code.
   *
   * @throws IllegalArgumentException naming the setting that is malformed
   */
  int run(
      @Nullable Path file,
      Map<String, String> environment,
      Map<String, String> flags,
      PrintStream out,
      PrintStream err) {
    throw CommandFailure.resource("this build carries no server");
  }
}
