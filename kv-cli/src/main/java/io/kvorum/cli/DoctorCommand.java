package io.kvorum.cli;

import io.kvorum.node.QuarantineMark;
import io.kvorum.server.inspect.EvidenceLook;
import io.kvorum.server.inspect.NodeLook;
import io.kvorum.server.store.CommandText;
import io.kvorum.server.store.StateDifference;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
    OfflineDirectory.checkQuiet(directories);
    Set<Path> once = new LinkedHashSet<>();
    directories.forEach(each -> once.add(real(each)));
    List<NodeLook> looks = new ArrayList<>();
    for (Path directory : once) {
      looks.add(look(directory));
    }
    Diagnosis diagnosis = new Diagnosis(looks, evidences(looks));
    try (Output out = new Output(terminal)) {
      diagnosis.lines().forEach(out::line);
    }
    return diagnosis.isSound() ? ExitCode.DONE : ExitCode.DAMAGED;
  }

  /** One directory may be named in several ways. */
  private static Path real(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException notThere) {
      return directory;
    }
  }

  private static NodeLook look(Path directory) {
    return OfflineDirectory.look(
        directory,
        quiet -> {
          if (!quiet.isDataDirectory()) {
            throw CommandFailure.local(
                directory + " is no data directory: neither identity nor vote nor log is there");
          }
          return NodeLook.at(directory, quiet);
        });
  }

  /** Of nodes whose state was once wrong: how that differs from what the newest other one has. */
  private static Map<Path, String> evidences(List<NodeLook> looks) {
    Map<Path, String> texts = new LinkedHashMap<>();
    for (NodeLook wrong : looks) {
      QuarantineMark.Found found = wrong.identity().quarantine();
      if (found != null) {
        looks.stream()
            .filter(other -> !other.equals(wrong) && other.state().problem() == null)
            .filter(other -> !other.identity().isQuarantined())
            .filter(other -> other.applied().index() >= found.last().verdictIndex())
            .max(Comparator.comparing(NodeLook::applied))
            .ifPresent(right -> texts.put(wrong.directory(), evidence(wrong, right)));
      }
    }
    return texts;
  }

  private static String evidence(NodeLook wrong, NodeLook right) {
    Optional<StateDifference> kept =
        OfflineDirectory.look(
            wrong.directory(),
            of ->
                OfflineDirectory.look(
                    right.directory(),
                    with -> Optional.ofNullable(EvidenceLook.between(of, with))));
    if (kept.isEmpty()) {
      return "the wrong state was not kept";
    }
    StateDifference found = kept.get();
    String keys =
        found.rows().stream()
            .map(row -> CommandText.quoted(row.key()) + " " + words(row.kind()))
            .collect(Collectors.joining(", "));
    return "the state kept in diverged differs from that of %s in %d keys%s"
            .formatted(
                right.identity().node(), found.count(), found.count() == 0 ? "" : ": " + keys)
        + (found.count() > found.rows().size() ? ", …" : "");
  }

  private static String words(StateDifference.Kind kind) {
    return switch (kind) {
      case ONLY_FIRST -> "(should not be there)";
      case ONLY_SECOND -> "(is missing)";
      case DIFFERENT -> "(is another)";
    };
  }
}
