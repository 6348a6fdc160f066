package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.client.TakenSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum snapshot}. */
@Command(
    name = "snapshot",
    description = {
      "Have each endpoint take a snapshot of its state now, whether it leads or not, and cut its"
          + " log behind it. They go on serving meanwhile.",
      "What each has is printed when it is durable and was read back; if one fails, the exit code"
          + " is that of the failure."
    })
final class SnapshotCommand extends ClientCommand {
  private static final List<String> COLUMNS =
      List.of("ENDPOINT", "NODE", "SNAPSHOT", "INDEX", "TERM", "REVISION", "BYTES");

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long a node may take for it. Default: 10m.")
  private Duration patience = Duration.ofMinutes(10);

  /** The command, to which others may be added. */
  static CommandLine line(Terminal terminal, ClientFactory clients) {
    return new CommandLine(new SnapshotCommand(terminal, clients));
  }

  private SnapshotCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    // Nothing to check: there are no arguments.
  }

  /** All at once: the slowest sets the time, not the sum. */
  @Override
  int run(Connection connection, Output out) {
    Map<String, CompletableFuture<TakenSnapshot>> asked = new LinkedHashMap<>();
    options()
        .endpoints(terminal())
        .forEach(endpoint -> asked.put(endpoint, connection.takeSnapshot(endpoint, patience)));
    List<List<String>> rows = new ArrayList<>();
    rows.add(COLUMNS);
    KvException failure = null;
    for (Map.Entry<String, CompletableFuture<TakenSnapshot>> one : asked.entrySet()) {
      try {
        TakenSnapshot taken = one.getValue().join();
        rows.add(row(one.getKey(), taken));
        json(one.getKey(), taken, out);
      } catch (CompletionException failed) {
        failure = expected(failed);
        rows.add(List.of(one.getKey(), "-", "failed: " + failure.getMessage()));
      }
    }
    if (!options().json()) {
      Table.print(rows, out::line);
    }
    return exitCode(failure);
  }

  private int exitCode(@Nullable KvException failure) {
    return failure == null
        ? ExitCode.DONE
        : Failures.report("kvorum snapshot", failure, terminal().err());
  }

  private static KvException expected(CompletionException failed) {
    if (failed.getCause() instanceof KvException expected) {
      return expected;
    }
    throw failed;
  }

  private static List<String> row(String endpoint, TakenSnapshot taken) {
    return List.of(
        endpoint,
        taken.nodeId(),
        taken.name(),
        Long.toString(taken.index()),
        Long.toString(taken.term()),
        Long.toString(taken.revision()),
        Long.toString(taken.bytes()));
  }

  private void json(String endpoint, TakenSnapshot taken, Output out) {
    if (options().json()) {
      out.json(
          json -> {
            json.writeStringField("endpoint", endpoint);
            json.writeStringField("nodeId", taken.nodeId());
            json.writeStringField("snapshot", taken.name());
            json.writeNumberField("index", taken.index());
            json.writeNumberField("term", taken.term());
            json.writeNumberField("revision", taken.revision());
            json.writeNumberField("bytes", taken.bytes());
          });
    }
  }
}
