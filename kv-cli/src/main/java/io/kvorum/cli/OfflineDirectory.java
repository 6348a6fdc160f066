package io.kvorum.cli;

import io.kvorum.disk.DirectoryInUseException;
import io.kvorum.server.inspect.Quiet;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
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

  /** Names all of several that are not there, or on which a node runs, before one is read. */
  static void checkQuiet(List<Path> directories) {
    List<Path> missing = directories.stream().filter(each -> !Files.isDirectory(each)).toList();
    if (missing.size() > 1) {
      throw CommandFailure.local(joined(missing) + " are no directories");
    }
    List<Path> running =
        directories.stream().filter(Files::isDirectory).filter(OfflineDirectory::isInUse).toList();
    if (running.size() > 1) {
      throw CommandFailure.local(
          joined(running)
              + " are in use: stop these nodes first; running nodes are asked with kvorum status");
    }
  }

  private static String joined(List<Path> paths) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  private static boolean isInUse(Path directory) {
    try {
      Quiet.on(directory).close();
      return false;
    } catch (DirectoryInUseException running) {
      return true;
    } catch (UncheckedIOException failed) {
      // Whoever looks at it says so.
      return false;
    }
  }

  Path path() {
    return directory;
  }
}
