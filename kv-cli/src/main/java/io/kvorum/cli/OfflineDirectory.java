package io.kvorum.cli;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.server.inspect.Quiet;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Parameters;

/** The argument of commands that look at a directory on which no node runs. */
final class OfflineDirectory {
  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "A node's data directory, or the part of it that is wanted.")
  private Path directory = Path.of("");

  /** Looks at it; the failure of that ends the command. */
  <T> T look(Function<Quiet, T> what) {
    return look(directory, what);
  }

  static <T> T look(Path directory, Function<Quiet, T> what) {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.local(directory + " is no directory");
    }
    try (Quiet quiet = Quiet.on(directory)) {
      return what.apply(quiet);
    } catch (DirectoryInUseException running) {
      throw CommandFailure.local(
          running.getMessage()
              + ": stop the node first; a running node is asked with kvorum status");
    } catch (UncheckedIOException failed) {
      throw CommandFailure.resource(String.valueOf(failed.getMessage()));
    }
  }

  Path path() {
    return directory;
  }
}
