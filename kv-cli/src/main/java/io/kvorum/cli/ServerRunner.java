package io.kvorum.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the command {@code server} needs of a server. */
interface ServerRunner {
  /** A setting; its flag is {@code --name}. */
  record Flag(String name, String defaultValue, String description) {}

  List<Flag> flags();

  /**
   * Runs a node until the process is told to end; returns the exit code.
   *
   * @param file of settings, or null
   * @param flags that were given; they win over the environment, and that over the file
   * @param out gets one line that begins with {@code ready} when the node serves
   * @throws IllegalArgumentException naming the setting that is malformed
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  int run(
      @Nullable Path file,
      Map<String, String> environment,
      Map<String, String> flags,
      PrintStream out,
      PrintStream err);
}
