package io.kvorum.cli;

import io.kvorum.server.inspect.NodeLook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code kvorum doctor}. */
@Command(
    name = "doctor",
    description = {
      "Look at what is left of nodes that do not run, and say what is damaged, who has most, and"
          + " what to do. Nothing is changed. Name the data directories of all survivors: what each"
          + " way back would lose can only be said of those that are seen.",
      "The last line begins with \"doctor: OK\" or, with exit code 1, \"doctor: DAMAGED\"."
    })
final class DoctorCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "DIR", description = "Data directories of nodes.")
  private List<Path> directories = List.of();

  private final Terminal terminal;

  DoctorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<NodeLook> looks = new ArrayList<>();
    for (Path directory : directories) {
      looks.add(look(directory));
    }
    Diagnosis diagnosis = new Diagnosis(looks);
    try (Output out = new Output(terminal)) {
      diagnosis.lines().forEach(out::line);
    }
    return diagnosis.isSound() ? ExitCode.DONE : ExitCode.DAMAGED;
  }

  private static NodeLook look(Path directory) {
    Path scratch = scratch();
    try {
      return OfflineDirectory.look(directory, quiet -> NodeLook.at(directory, quiet, scratch));
    } finally {
      delete(scratch);
    }
  }

  private static Path scratch() {
    try {
      return Files.createTempDirectory("kvorum-doctor");
    } catch (IOException failed) {
      throw CommandFailure.resource("no temporary directory: " + failed.getMessage());
    }
  }

  private static void delete(Path tree) {
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
