package io.kvorum.cli;

import io.kvorum.api.KvException;
import io.kvorum.api.NodeStatus;
import io.kvorum.server.backup.BackupException;
import io.kvorum.server.backup.BackupLabel;
import io.kvorum.server.backup.BackupWriter;
import io.kvorum.server.backup.Backups;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code kvorum backup}. */
@Command(
    name = "backup",
    description = {
      "Take a backup of a running cluster: all that was acknowledged before, in a directory on this"
          + " machine. Of several endpoints a follower is asked, to leave the leader to its work; a"
          + " single one is asked whatever it is.",
      "The directory has its name only when all of it is durable and verified. The last line begins"
          + " with \"backup: OK\", or with \"backup: FAILED\", and then the exit code is 1."
    })
final class BackupCommand extends ClientCommand {
  @Option(
      names = "--to",
      required = true,
      paramLabel = "PATH",
      description = "The directory to make; it must not exist.")
  private Path to = Path.of("");

  @Option(
      names = "--incremental-from",
      paramLabel = "PATH",
      description =
          "An older backup: files that are the same there are linked, or copied from another file"
              + " system, and not fetched. The new backup does not need the older one.")
  private @Nullable Path older;

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long the node may take for its snapshot. Default: 10m.")
  private Duration patience = Duration.ofMinutes(10);

  BackupCommand(Terminal terminal, ClientFactory clients) {
    super(terminal, clients);
  }

  @Override
  void check() {
    // Looked at where a failure is said in the last line.
  }

  @Override
  int run(Connection connection, Output out) {
    return Verdict.of("backup", out, () -> text(write(connection)));
  }

  private BackupWriter.Outcome write(Connection connection) {
    if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      throw new BackupException(
          to + " exists: a backup is never written over; choose another name, or remove it");
    }
    Path previous = older;
    if (previous != null && !Files.isDirectory(previous)) {
      throw new BackupException("--incremental-from " + previous + " is no directory");
    }
    String endpoint = choose(connection, options().endpoints(terminal()));
    return Backups.write(
        connection.backupSource(endpoint, patience), to, previous, terminal().err()::println);
  }

  /** The follower that has most; else whoever answers. */
  static String choose(Connection connection, List<String> endpoints) {
    if (endpoints.size() == 1) {
      return endpoints.get(0);
    }
    Map<String, CompletableFuture<NodeStatus>> asked = new LinkedHashMap<>();
    endpoints.forEach(endpoint -> asked.put(endpoint, connection.status(endpoint)));
    String best = null;
    long most = -1;
    KvException failure = null;
    for (Map.Entry<String, CompletableFuture<NodeStatus>> one : asked.entrySet()) {
      try {
        NodeStatus status = one.getValue().join();
        long has = status.role().equals("follower") ? status.log().applied() : 0;
        if (has > most) {
          best = one.getKey();
          most = has;
        }
      } catch (CompletionException failed) {
        if (!(failed.getCause() instanceof KvException expected)) {
          throw failed;
        }
        failure = expected;
      }
    }
    if (best == null) {
      throw failure == null ? new KvException.Unavailable("no endpoints") : failure;
    }
    return best;
  }

  private String text(BackupWriter.Outcome outcome) {
    BackupLabel label = outcome.label();
    String text =
        "%s holds revision %d of cluster %s as of %s, from %s:"
            + " %d files, %d bytes, %d of them fetched";
    return text.formatted(
        to,
        label.revision(),
        label.clusterId(),
        Instant.ofEpochMilli(label.logTimeMillis()),
        label.nodeId(),
        label.files(),
        label.bytes(),
        outcome.fetchedBytes());
  }
}
